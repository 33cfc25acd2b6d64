import { setTimeout as delay } from 'node:timers/promises';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import { expect, test } from '@jest/globals';

import { DenoSandbox } from './deno-sandbox.js';

const pairs = 25;

/** Blocks the event loop, as work on a large answer would. */
function hold(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test.each(isolationsUnderTest())(
  'accepts the result of a program that ended in time, even if the server reads it late (%s)',
  async (isolation) => {
    const sandbox = new DenoSandbox({ isolation, spares: { count: 1 } });
    const calls: unknown[] = [];
    const tools = fakeToolSource({ mcp__test__note: (args) => calls.push(args) });
    const run = (code: string, timeoutMs = 20_000) =>
      sandbox.execute({ code, timeoutMs, permissions: noPermissions, tools });
    /** Runs a program in a spare, and reads nothing of its answer for `ms` milliseconds. */
    const runUnread = async (ms: number, ...program: Parameters<typeof run>) => {
      while ((await sandbox.status()).spares?.ready !== 1) await delay(20);
      const running = run(...program);
      // The next phases of the event loop are timers, and only then what can be read.
      setImmediate(() => hold(ms));
      return running;
    };
    try {
      await run('return 0');
      // Longer than a spare may take to receive its program.
      const noted = await runUnread(2500, 'await callMCPTool("mcp__test__note"); return 1;');
      expect(noted).toMatchObject({ status: 'succeeded', value: 1 });
      expect(calls).toHaveLength(1);
      // Longer than the program's timeout.
      expect(await runUnread(4000, 'return 2', 3000)).toMatchObject({ status: 'succeeded', value: 2 });
    } finally {
      await sandbox.close();
    }
  },
);

test.each(isolationsUnderTest())(
  'loses no output that a program prints while the server is busy (%s)',
  async (isolation) => {
    const sandbox = new DenoSandbox({ isolation, spares: { count: 2 } });
    try {
      for (let pair = 0; pair < pairs; pair++) {
        let open: () => void = () => undefined;
        const bothWait = new Promise<void>((resolve) => (open = resolve));
        let waiting = 0;
        const tools = fakeToolSource({
          mcp__test__meet: async () => {
            if (++waiting === 2) open();
            await bothWait;
            return null;
          },
          mcp__test__hold: () => {
            hold(12);
            return null;
          },
        });
        const run = (code: string) =>
          sandbox.execute({ code, timeoutMs: 20_000, permissions: noPermissions, tools });
        const spin = 'const until = performance.now() + 5; while (performance.now() < until);';
        const [, result] = await Promise.all([
          run('await callMCPTool("mcp__test__meet"); await callMCPTool("mcp__test__hold");'),
          run(
            `await callMCPTool("mcp__test__meet"); console.log("out"); ${spin} console.error("err"); return 1;`,
          ),
        ]);
        expect(result).toMatchObject({ status: 'succeeded', stdout: 'out\n', stderr: 'err\n' });
      }
    } finally {
      await sandbox.close();
    }
  },
);
