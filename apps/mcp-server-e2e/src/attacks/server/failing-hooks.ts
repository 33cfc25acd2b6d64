import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { descendantsOf } from '../../server-under-test/processes.js';
import { until } from '../../server-under-test/until.js';
import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

const hook = fileURLToPath(new URL('../../policy/deciding-hook.mjs', import.meta.url));
const ways = ['hang', 'flood', 'crash', 'garbage'];

/** Attacks by programs that make the operator's hook fail. */
export const failingHooks: readonly ServerAttack[] = [
  {
    id: 'HOK-01',
    what: 'make calls whose arguments make the hook of the operator hang, flood its answer, crash or write nonsense, 40 at once',
    stoppedBy:
      'server (a call without a verdict is refused; time, answers and processes of hooks are bounded, and the whole group is killed)',
    async attack() {
      const policy = { hook: { command: [process.execPath, hook], timeoutMs: 1000 } };
      await withAttacked({ config: { policy } }, async (server) => {
        const { result } = await server.run(
          `const ways = ${JSON.stringify(ways)};
           const calls = Array.from({ length: 40 }, (_, index) =>
             callMCPTool('mcp__other__echo', { text: '', do: ways[index % 4] }).catch(({ code }) => code));
           return [...new Set(await Promise.all(calls))];`,
          { allowedTools: ['mcp__other__echo'], timeoutMs: 60_000 },
        );
        assert.deepEqual(result, ['unavailable']);
        const hooks = async () =>
          (await descendantsOf(server.pid)).filter(({ commandLine }) => commandLine.includes(hook));
        await until(async () => (await hooks()).length === 0);
      });
    },
  },
];
