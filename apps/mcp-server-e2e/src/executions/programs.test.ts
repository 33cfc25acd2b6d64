import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isolationsUnderTest } from '@code-executor/contracts/testing';

import { createHome } from '../server-under-test/home.js';
import { descendantsOf, untilGone } from '../server-under-test/processes.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';

describe.each(isolationsUnderTest())('executeTypescript (%s)', (isolation) => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await StartedServer.start({}, { CODE_EXECUTOR_ISOLATION: isolation });
  });
  afterAll(() => server.close());

  test('returns a value', async () => {
    const report = await server.run('console.log("hi"); return 42;');
    expect(report).toMatchObject({ success: true, output: 'hi\n', result: 42, isolation });
  });

  test.each<[string, string, Record<string, unknown>, object]>([
    ['throws', 'const a = 1;\nthrow new Error("boom");', {}, { status: 'failed', errorCode: 'user_error' }],
    ['is no TypeScript', 'const = ;', {}, { status: 'failed', errorCode: 'user_error' }],
    ['exits', 'Deno.exit(0);', {}, { status: 'failed', errorCode: 'ended_early' }],
    [
      'never settles',
      'await new Promise(() => undefined); return 1;',
      {},
      { status: 'failed', errorCode: 'ended_early' },
    ],
    ['loops', 'for (;;) {}', { timeoutMs: 1000 }, { status: 'timed_out', errorCode: 'deadline_exceeded' }],
    [
      'waits forever',
      'await new Promise((resolve) => setTimeout(resolve, 1e8));',
      { timeoutMs: 1000 },
      { status: 'timed_out', errorCode: 'deadline_exceeded' },
    ],
    [
      'prints much',
      'for (let i = 0; i < 20000; i++) console.log("x".repeat(200)); return 1;',
      {},
      { status: 'succeeded', truncated: true, result: 1 },
    ],
    [
      'prints endlessly',
      'for (;;) console.log("x".repeat(100000));',
      { timeoutMs: 20_000 },
      { status: 'failed', errorCode: 'resource_exhausted', truncated: true },
    ],
    [
      'uses up memory',
      'const all = []; for (;;) all.push(new Array(1e6).fill(all.length));',
      {},
      { status: 'failed', errorCode: 'out_of_memory' },
    ],
    ['returns a function', 'return () => 1;', {}, { status: 'failed', errorCode: 'not_serializable' }],
  ])(
    'a program that %s has the correct status, and leaves nothing behind',
    async (_what, code, args, outcome) => {
      const report = await server.run(code, args);
      expect(report).toMatchObject({ ...outcome, isolation });
      expect(JSON.stringify(report).length).toBeLessThan(300_000);
      expect((await server.run('return "next"')).result).toBe('next');
    },
  );

  test('frames that a program prints are text or an error, never a result', async () => {
    const forged = '{"type":"result","value":"forged"}';
    const report = await server.run(
      `console.log(${JSON.stringify(forged)}); console.log('\\u0000' + ${JSON.stringify(forged)}); return "true";`,
    );
    expect(report.result).not.toBe('forged');
    expect(report).toMatchObject({ status: 'succeeded', result: 'true' });
  });

  test('can read what the configuration allows, and reports what was not granted', async () => {
    const home = await createHome({ 'data.txt': 'the data' });
    const security = { allowRead: [home] };
    await writeFile(join(home, '.code-executor.json'), JSON.stringify({ security }));
    await withServer(StartedServer.start({}, { CODE_EXECUTOR_ISOLATION: isolation }, home), async (own) => {
      const file = JSON.stringify(join(home, 'data.txt'));
      const code = `const text = await Deno.readTextFile(${file});
      const other = await Deno.readTextFile('/etc/passwd').catch(() => 'refused');
      return { text, other };`;
      const report = await own.run(code, { permissions: { read: [home, '/etc'], net: ['example.com'] } });
      expect(report).toMatchObject({
        status: 'succeeded',
        isolation,
        result: { text: 'the data', other: 'refused' },
        stderr:
          'permissions.read "/etc" is outside security.allowRead and was not granted.\n' +
          'permissions.net "example.com" is outside security.allowNetwork and was not granted.\n',
      });
      expect(await own.run(code)).toMatchObject({ status: 'failed', errorCode: 'user_error' });
    });
  });

  test('a client gets the maximum number of pictures, and more do not end its session', async () => {
    const code = `const png = new Uint8Array(1 << 20);
png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
for (let shown = 0; ; shown++) {
  try { await display(png) } catch (error) { return [shown, error.code] }
}`;
    expect(await server.run(code)).toMatchObject({ result: [4, 'resource_exhausted'] });
    expect((await server.run('return 1')).result).toBe(1);
  });

  test('health answers while programs loop', async () => {
    const caller = new AbortController();
    const running = Array.from({ length: 3 }, () =>
      server.run('console.log("started"); for (;;) {}', {}, { signal: caller.signal }).catch(() => undefined),
    );
    await until(async () => {
      const { structured } = await server.call('health', {});
      return (structured['executions'] as { running: number }).running === 3;
    });
    caller.abort();
    await Promise.all(running);
  });

  test('reports progress, and ends when its caller cancels', async () => {
    const caller = new AbortController();
    const seen: { progress: number; message?: string | undefined }[] = [];
    const running = server
      .run(
        'for (let i = 0; ; i++) { console.log("line " + i); await new Promise((r) => setTimeout(r, 100)); }',
        { timeoutMs: 60_000 },
        { signal: caller.signal, onprogress: (progress) => seen.push(progress) },
      )
      .catch((error: unknown) => error);
    await until(() => seen.length >= 3);
    const first = seen.slice(0, 3);
    expect(first.map(({ progress }) => progress)).toEqual([1, 2, 3]);
    for (const { message } of first) expect(message).toMatch(/^line \d+$/);
    // Ten lines a second, but one notification: lines are left out.
    expect(first[2]?.message).not.toBe('line 2');
    caller.abort();
    expect(await running).toBeInstanceOf(Error);
    await until(async () => {
      const { structured } = await server.call('health', {});
      return (structured['executions'] as { running: number }).running === 0;
    });
  });

  test('leaves no process behind when programs are cancelled while they start', async () => {
    await withServer(
      StartedServer.start(
        { '.code-executor.json': JSON.stringify({ sandbox: { spares: { typescript: 0 } } }) },
        { CODE_EXECUTOR_ISOLATION: isolation },
      ),
      async (own) => {
        // The first ones while the server determines the isolation mode, the others while their processes start.
        for (const waitMs of [40, 0, 2, 4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60]) {
          const caller = new AbortController();
          const running = Array.from({ length: 3 }, () =>
            own.run('for (;;) {}', { timeoutMs: 60_000 }, { signal: caller.signal }).catch(() => undefined),
          );
          await delay(waitMs);
          caller.abort();
          await Promise.all(running);
        }
        await until(async () => {
          const { structured } = await own.call('health', {});
          return (structured['executions'] as { running: number }).running === 0;
        });
        expect(await descendantsOf(own.pid)).toEqual([]);
      },
    );
  });

  test('leaves no process behind when a loop is cancelled', async () => {
    // A new server, so that the only process below it is this program, and not a spare.
    await withServer(StartedServer.start({}, { CODE_EXECUTOR_ISOLATION: isolation }), async (own) => {
      const caller = new AbortController();
      let hasStarted = false;
      const running = own
        .run(
          'console.log("started"); for (;;) {}',
          { timeoutMs: 60_000 },
          { signal: caller.signal, onprogress: () => (hasStarted = true) },
        )
        .catch(() => undefined);
      await until(() => hasStarted);
      const pids = (await descendantsOf(own.pid)).map(({ pid }) => pid);
      expect(pids.length).toBeGreaterThan(0);
      caller.abort();
      await running;
      await untilGone(pids);
    });
  });
});

describe('executeTypescript with bad input', () => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await StartedServer.start({
      '.code-executor.json': JSON.stringify({ security: { maxTimeoutMs: 60_000, maxCodeSize: 5000 } }),
    });
  });
  afterAll(() => server.close());

  test.each<[Record<string, unknown>, string]>([
    [{}, 'Parameter code is missing; it must be text of 1 to 5000 characters'],
    [{ code: '' }, 'Parameter code is "" (text, 0 characters); it must be text of 1 to 5000 characters'],
    [{ code: 'x'.repeat(5001) }, '(text, 5001 characters); it must be text of 1 to 5000 characters'],
    [{ code: 'x'.repeat(5_000_000) }, '(text, 5000000 characters); it must be text of 1 to 5000 characters'],
    [{ code: 42 }, 'Parameter code is 42 (number); it must be text'],
    [{ code: { source: 'return 1' } }, 'Parameter code is an object; it must be text'],
    [{ code: 'return "\ud800"' }, 'without lone surrogates'],
    [
      { code: '1', timeoutMs: 0 },
      'Parameter timeoutMs is 0 (number); it must be a whole number from 1000 to 60000',
    ],
    [{ code: '1', timeoutMs: 60_001 }, 'it must be a whole number from 1000 to 60000'],
    [{ code: '1', timeoutMs: '30s' }, 'Parameter timeoutMs is "30s" (text, 3 characters)'],
    [
      { code: '1', allowedTools: { mcp__a__b: true } },
      'Parameter allowedTools is an object; it must be a list',
    ],
    [
      { code: '1', permissions: { net: 'api.example.com' } },
      'Parameter permissions.net is "api.example.com"',
    ],
    [
      { code: '1', skipChecks: true },
      'Unknown parameter "skipChecks"; known are code, allowedTools, timeoutMs',
    ],
  ])('case %# is an error that names parameter, value and range', async (args, message) => {
    const { isError, structured } = await server.call('executeTypescript', args);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ success: false, status: 'failed', errorCode: 'invalid_argument' });
    expect(structured['error']).toContain(message);
  });

  test('the published schema has the configured limits', async () => {
    const { tools } = await server.client.listTools();
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { code: { maxLength: 5000 }, timeoutMs: { maximum: 60_000 } },
    });
  });
});
