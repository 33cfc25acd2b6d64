import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type GrantedPermissions, noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import type { SpareOptions } from '@code-executor/deno-runtime';

import { DenoSandbox } from './deno-sandbox.js';
import { withGranted } from './granted-paths.test.support.js';

describe.each(isolationsUnderTest())('Spare processes (%s)', (isolation) => {
  let sandbox: DenoSandbox;
  afterEach(() => sandbox.close());

  const create = (spares: SpareOptions) => (sandbox = new DenoSandbox({ isolation, spares }));
  const run = (code = 'return 1', permissions: GrantedPermissions = noPermissions) =>
    sandbox.execute({ code, timeoutMs: 20_000, permissions, tools: fakeToolSource({}) });
  const ready = async () => (await sandbox.status()).spares?.ready;
  /** Waits until this many spares are ready, or the test times out. */
  const untilReady = async (count: number) => {
    while ((await ready()) !== count) await delay(20);
  };

  test('start after the first execution, not before', async () => {
    create({ count: 2 });
    expect(await ready()).toBe(0);
    expect(denoProcesses()).toEqual([]);
    await run();
    await untilReady(2);
    expect(denoProcesses()).toHaveLength(2);
    const { spares } = await sandbox.status();
    expect(spares?.memoryMb).toBeGreaterThan(40);
  });

  test('serve one execution each, and are replaced', async () => {
    create({ count: 2 });
    await run();
    await untilReady(2);
    const before = denoProcesses();
    await run('(globalThis as any).left = "behind"; return 1');
    while (denoProcesses().filter((pid) => before.includes(pid)).length !== 1) await delay(5);
    await untilReady(2);
    expect((await run('return (globalThis as any).left ?? null')).value).toBeNull();
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)('that received %s are not used', async (signal) => {
    create({ count: 2 });
    await run();
    await untilReady(2);
    for (const pid of denoProcesses()) process.kill(pid, signal);
    expect(await run()).toMatchObject({ status: 'succeeded', value: 1 });
  });

  test('are not used if files are granted', async () => {
    create({ count: 1 });
    await run();
    await untilReady(1);
    // The program's own process ends a moment after its result.
    while (denoProcesses().length !== 1) await delay(20);
    const [spare] = denoProcesses();
    const folder = await mkdtemp(join(tmpdir(), 'spares-'));
    const granted = withGranted({ read: [folder] }, (permissions) => run('return 1', permissions));
    expect((await granted).value).toBe(1);
    expect(denoProcesses()).toContain(spare);
    await rm(folder, { recursive: true });
  });

  test('end if they are not used', async () => {
    create({ count: 2, idleMs: 300 });
    await run();
    await untilReady(2);
    await untilReady(0);
    while (denoProcesses().length > 0) await delay(20);
  });

  test('stay below their memory limit', async () => {
    create({ count: 1 });
    await run();
    await untilReady(1);
    const { memoryMb = 0 } = (await sandbox.status()).spares ?? {};
    await sandbox.close();
    const maxMemoryMb = Math.round(2.5 * memoryMb);
    create({ count: 4, maxMemoryMb });
    await run();
    await untilReady(2);
    await delay(500);
    expect(await ready()).toBeLessThanOrEqual(2);
    expect((await sandbox.status()).spares?.memoryMb).toBeLessThanOrEqual(maxMemoryMb);
  });

  test('are gone after close()', async () => {
    create({ count: 2 });
    await run();
    await untilReady(1);
    await sandbox.close();
    expect(denoProcesses()).toEqual([]);
  });

  test('are not started with a count of 0', async () => {
    create({ count: 0 });
    await run();
    while (denoProcesses().length > 0) await delay(20);
    await delay(200);
    expect(denoProcesses()).toEqual([]);
  });
});

/** The Deno processes that descend from this one. */
function denoProcesses(): number[] {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, comm = '', state, parent] = /\((.*)\) (\S) (\d+)/s.exec(stat) ?? [];
      if (state === 'Z') continue;
      parents.set(Number(name), Number(parent));
      names.set(Number(name), comm);
    } catch {
      // The process has ended in the meantime.
    }
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid === process.pid || (!!pid && isOurs(parents.get(pid)));
  return [...names].filter(([pid, name]) => name === 'deno' && isOurs(pid)).map(([pid]) => pid);
}
