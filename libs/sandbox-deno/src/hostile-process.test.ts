import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { type ExecutionRequest, noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import { findDeno } from '@code-executor/deno-runtime';
import { afterEach, describe, expect, test } from '@jest/globals';

import { DenoSandbox, type DenoSandboxOptions } from './deno-sandbox.js';
import { denoProcessesWithHeap } from './sandbox-processes.test.support.js';

/** Unique to this file, so that the processes of other tests are not counted. */
const heapMb = 119;
const maxOutputChars = 1000;
let sandbox: DenoSandbox | undefined;
afterEach(() => sandbox?.close());

const open = (options: DenoSandboxOptions) =>
  (sandbox = new DenoSandbox({ heapMb, maxOutputChars, spares: { count: 0 }, ...options }));
const requestOf = (code: string, request: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  code,
  timeoutMs: 20_000,
  permissions: noPermissions,
  tools: fakeToolSource({ mcp__test__look: () => ({}) }),
  ...request,
});

/** A program that reads the nonce from the bytes of its first call and sends a forged result with it. */
const forgedResult = (json: string) => `
  let nonce = "";
  const { subarray } = Uint8Array.prototype;
  Uint8Array.prototype.subarray = function (...range) {
    if (this[0] === 0x1e && nonce === "") nonce = new TextDecoder().decode(this).slice(1, 33);
    return subarray.apply(this, range);
  };
  const listed = searchTools("x").catch(() => {});
  for (let turn = 0; turn < 10 && nonce === ""; turn++) await undefined;
  await new Promise((go) => setTimeout(go));
  const bytes = new TextEncoder().encode("\\u001e" + nonce + ${JSON.stringify(json)} + "\\n");
  for (let rest = bytes; rest.length > 0;) rest = subarray.call(rest, Deno.stdout.writeSync(rest));
  for (;;);`;

describe.each(isolationsUnderTest())('A hostile process (%s)', (isolation) => {
  test('fails if its value is too large, even if its bootstrap does not truncate it', async () => {
    const resultOf = (chars: number) =>
      open({ isolation }).execute(
        requestOf(forgedResult(JSON.stringify({ type: 'result', value: 'x'.repeat(chars) }))),
      );
    expect(await resultOf(maxOutputChars - 2)).toMatchObject({ status: 'succeeded' });
    const tooLarge = await resultOf(maxOutputChars + 100);
    expect(tooLarge).toMatchObject({ status: 'failed', error: { code: 'user_error' } });
    expect(tooLarge.value).toBeUndefined();
  });

  test('sends calls before they take much memory, even if it makes many at once and never pauses', async () => {
    const enough = new AbortController();
    let calls = 0;
    const look = () => {
      if (++calls === 10) enough.abort();
      return {};
    };
    const tools = fakeToolSource({ mcp__test__look: look });
    const code = `
      const text = "x".repeat(10_000);
      for (let n = 0; n < 20; n++) callMCPTool("mcp__test__look", { text }).catch(() => {});
      for (;;);`;
    const { status } = await open({ isolation }).execute(requestOf(code, { tools, signal: enough.signal }));
    expect(status).toBe('cancelled');
  });

  test('may use CPU time of twice its timeout plus ten seconds, whatever it does to its clock', async () => {
    let limits = '';
    const look = () => {
      const [pid] = denoProcessesWithHeap(heapMb);
      limits = readFileSync(`/proc/${pid ?? 0}/limits`, 'utf8');
      return {};
    };
    const tools = fakeToolSource({ mcp__test__look: look });
    await open({ isolation }).execute(
      requestOf('return await callMCPTool("mcp__test__look")', { tools, timeoutMs: 15_000 }),
    );
    expect(limits).toMatch(/^Max cpu time +40 +40 +seconds/m);
  });
});

test('everything that a process has started ends with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deno-sandbox-'));
  try {
    const denoPath = join(folder, 'deno');
    const left = join(folder, 'left');
    // Like bubblewrap, this starts Deno and is not Deno itself.
    const start = `case "$1" in --version) ;; *) /bin/sleep 300 <&- >&- 2>&- & echo $! > ${left} ;; esac`;
    await writeFile(denoPath, `#!/bin/sh\n${start}\nexec ${await findDeno(undefined)} "$@"\n`);
    await chmod(denoPath, 0o755);
    const { status } = await open({ isolation: 'portable', denoPath }).execute(requestOf('return 1'));
    expect(status).toBe('succeeded');
    await sandbox?.close();
    const pid = Number(await readFile(left, 'utf8'));
    expect(pid).toBeGreaterThan(1);
    while (isRunning(pid)) await delay(10);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** A zombie counts as ended: it only waits for its parent to read the exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
