import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Language, SandboxStatus } from '@code-executor/contracts';
import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { removeHome } from '../server-under-test/home.js';
import { descendantsOf, untilGone } from '../server-under-test/processes.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { realServer } from '../upstream-servers/entries.js';
import { programs } from './programs.js';

/** Behaviour of the built server that is the same in every language. */
const cases = isolationsUnderTest().flatMap((isolation) =>
  (['typescript', 'python'] as const).map((language) => ({ isolation, language })),
);
// Shared by all servers here, because Python's snapshot takes seconds to create.
const productHome = await mkdtemp(join(tmpdir(), 'code-executor-home-'));
afterAll(() => removeHome(productHome));

function startServer(isolation: string, files: Record<string, object> = {}) {
  const texts = Object.entries(files).map(([name, content]) => [name, JSON.stringify(content)]);
  return StartedServer.start(Object.fromEntries(texts) as Record<string, string>, {
    CODE_EXECUTOR_ISOLATION: isolation,
    CODE_EXECUTOR_HOME: productHome,
  });
}

async function sparesOf(server: StartedServer, language: Language): Promise<number> {
  const { structured } = await server.call('health', {});
  const sandboxes = structured['sandboxes'] as SandboxStatus[];
  return sandboxes.find((sandbox) => sandbox.language === language)?.spares?.ready ?? 0;
}

describe.each(cases)('a program in $language ($isolation)', ({ isolation, language }) => {
  const { greets, fails, loops, ticks, shows, returnsPicture, adds, leaves, looks, asks } =
    programs[language];
  const pictures = [{ type: 'image', mimeType: 'image/png', data: expect.any(String) as unknown }];
  let server: StartedServer;
  beforeAll(async () => {
    server = await startServer(isolation, {
      '.claude.json': { mcpServers: { everything: realServer('everything', 'stdio') } },
      '.code-executor.json': { security: { allowNetwork: ['*', '*:1'], allowRead: ['/'] } },
    });
  });
  afterAll(() => server.close());

  const run = (code: string, args?: Record<string, unknown>) => server.runIn(language, code, args);

  test('returns a value and output', async () => {
    expect(await run(greets)).toMatchObject({ success: true, output: 'hi\n', result: 42, isolation });
  });

  test('fails with its own error', async () => {
    const report = await run(fails);
    expect(report).toMatchObject({ status: 'failed', errorCode: 'user_error', isolation });
    expect(report.error).toContain('boom');
  });

  test('is ended at its time limit, and the next one runs', async () => {
    expect(await run(loops, { timeoutMs: 1000 })).toMatchObject({
      status: 'timed_out',
      errorCode: 'deadline_exceeded',
    });
    expect(await run(greets)).toMatchObject({ success: true });
  });

  test('can call the tools of a real server that allowedTools lists, and no others', async () => {
    const report = await run(adds, { allowedTools: ['mcp__everything__get-sum'] });
    expect(report).toMatchObject({
      success: true,
      result: ['The sum of 20 and 22 is 42.', 'permission_denied'],
      toolCallsMade: ['mcp__everything__get-sum'],
    });
  });

  test('shows pictures', async () => {
    for (const code of [shows, returnsPicture]) {
      const { success, images, content } = await run(code);
      expect({ success, images, content }).toEqual({
        success: true,
        images: [{ mimeType: 'image/png', bytes: 70 }],
        content: pictures,
      });
    }
  });

  test('finds nothing of the previous program', async () => {
    // The program can find what it looks for in its own process.
    expect((await run(`${leaves}\n${looks}`)).result).not.toMatchObject({ found: [] });
    expect(await run(leaves)).toMatchObject({ success: true, output: 'left\n' });
    const [first, second] = [await run(looks), await run(looks)];
    const { random, ...found } = first.result as { random: unknown[] };
    expect(found).toEqual({ found: [] });
    expect((second.result as { random: unknown[] }).random).not.toEqual(random);
  });

  test('finds nothing of a program that runs at the same time', async () => {
    const caller = new AbortController();
    let hasLeft: (line: unknown) => void = () => undefined;
    const left = new Promise((resolve) => (hasLeft = resolve));
    const beside = server
      .runIn(language, `${leaves}\n${loops}`, {}, { signal: caller.signal, onprogress: hasLeft })
      .catch(() => undefined);
    // Its report would only come first if it had failed.
    expect(await Promise.race([left, beside])).toMatchObject({ message: 'left' });
    const both = await Promise.all([run(looks), run(looks)]);
    caller.abort();
    await beside;
    const [first, second] = both.map(({ result }) => result as { found: unknown; random: unknown[] });
    expect([first?.found, second?.found]).toEqual([[], []]);
    for (const [index, value] of (first?.random ?? []).entries()) {
      expect(value).not.toEqual(second?.random[index]);
    }
  });

  test('cannot reach this machine even if all hosts are granted', async () => {
    const { result } = await run(asks, { permissions: { net: ['localhost:1', '127.0.0.1'] } });
    expect(result).toEqual([
      expect.stringMatching(/localhost:1.*(address|network)/i),
      expect.stringMatching(/127\.0\.0\.1.*(address|network)/i),
      expect.stringMatching(/example\.org.*permissions\.net/),
    ]);
  });

  test('uses a spare process once there is one, and another one is started', async () => {
    await run(greets);
    await until(async () => (await sparesOf(server, language)) > 0);
    expect(await run(greets)).toMatchObject({ success: true, result: 42 });
    await until(async () => (await sparesOf(server, language)) > 0);
  });

  test('leaves no process behind when it is cancelled, and neither does its server when it ends', async () => {
    await withServer(startServer(isolation), async (own) => {
      const caller = new AbortController();
      let hasStarted: (line: unknown) => void = () => undefined;
      const started = new Promise((resolve) => (hasStarted = resolve));
      const running = own
        .runIn(language, ticks, { timeoutMs: 60_000 }, { signal: caller.signal, onprogress: hasStarted })
        .catch(() => undefined);
      expect(await Promise.race([started, running])).toMatchObject({ message: 'tick' });
      const pids = (await descendantsOf(own.pid)).map(({ pid }) => pid);
      expect(pids.length).toBeGreaterThan(0);
      caller.abort();
      await running;
      await untilGone(pids);
      await until(async () => (await sparesOf(own, language)) > 0);
      const spares = (await descendantsOf(own.pid)).map(({ pid }) => pid);
      expect(spares.length).toBeGreaterThan(0);
      await own.client.close();
      await untilGone(spares);
    });
  });
});

test.each<[Language, string]>([
  ['typescript', 'executePython'],
  ['python', 'executeTypescript'],
])('with %s disabled, only %s is left, and works', async (language, tool) => {
  const executors = { [language]: { enabled: false } };
  await withServer(startServer('auto', { '.code-executor.json': { executors } }), async (server) => {
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([tool, 'health']);
    expect(server.client.getInstructions()).toContain(`Use ${tool} whenever`);
    const other = language === 'python' ? 'typescript' : 'python';
    expect(await server.runIn(other, programs[other].greets)).toMatchObject({ result: 42 });
  });
});

test('without a place for its snapshot Python still runs, TypeScript is not affected, and health says why', async () => {
  // A file in place of the folder.
  const home = join(productHome, 'no-folder');
  await writeFile(home, '');
  const env = { CODE_EXECUTOR_HOME: home };
  await withServer(StartedServer.start({}, env), async (server) => {
    expect(await server.runIn('python', programs.python.greets)).toMatchObject({ result: 42 });
    expect(await server.run(programs.typescript.greets)).toMatchObject({ result: 42 });
    const { structured } = await server.call('health', {});
    expect(structured).toMatchObject({ healthy: true, note: expect.stringMatching(/snapshot/) as unknown });
  });
});
