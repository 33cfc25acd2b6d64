import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';
import { expect, test } from '@jest/globals';

import { DenoSandbox } from './deno-sandbox.js';

const pairs = 25;

/** Keeps this process from reading anything, as work on a large answer would. */
function hold(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test.each(isolationsUnderTest())(
  'loses nothing that is printed while the server is busy (%s)',
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
