import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { descendantsOf } from '../../server-under-test/processes.js';
import { until } from '../../server-under-test/until.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

const badUpstream = fileURLToPath(new URL('./bad-upstream.mjs', import.meta.url));
const ways = ['dies', 'hangs', 'babbles', 'floods', 'prints'] as const;

/** The definition of a server that misbehaves; its token is a secret from the environment. */
export const badEntry = (way: string) => ({
  command: process.execPath,
  args: [badUpstream, way],
  env: { TOKEN: 'env:API_KEY' },
});

/** The outcome of a call: its value, or the error that the program caught. */
export interface CallOutcome {
  value?: unknown;
  code?: string;
  message?: string;
}

/** Calls tools at the same time from one program; resolves with the outcome of each. */
export async function callAll(server: StdioArena, names: readonly string[]): Promise<CallOutcome[]> {
  const report = await server.run(
    `const call = (name: string) => callMCPTool(name, {}).then(
       (value) => ({ value }),
       ({ code, message }) => ({ code, message }),
     );
     return await Promise.all(${JSON.stringify(names)}.map(call));`,
    { allowedTools: [...names], timeoutMs: 60_000 },
  );
  assert.equal(report.error, undefined);
  return report.result as CallOutcome[];
}

/** The variables that a child process has besides those that its definition lists. */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'USER', 'SHELL'];

/** Attacks by configured upstream servers that misbehave. */
export const upstreamDefinitions: readonly ServerAttack[] = [
  {
    id: 'CFG-13',
    what: 'be an upstream server that exits, hangs, floods stderr, endlessly prints text that is not the protocol, looks for secrets in its environment',
    stoppedBy: 'server (listed variables only; bounded lines, log and time; each server fails on its own)',
    async attack() {
      const mcpServers = Object.fromEntries(ways.map((way) => [way, badEntry(way)]));
      const good = { ...badEntry('works'), env: { LISTED: 'yes' } };
      const config = {
        mcpServers: { ...mcpServers, good },
        policy: {},
        pool: { connectTimeoutMs: 10_000 },
      };
      await withAttacked({ config }, async (server) => {
        const [dead, hung, babbled, ...others] = await callAll(
          server,
          [...ways, 'good'].map((way) => `mcp__${way}__work`),
        );
        const why = (way: string, reason: string) =>
          new RegExp(
            `^Tool mcp__${way}__work cannot be called because its server ${way} is unavailable: ${reason}`,
          );
        assert.match(dead?.message ?? '', why('dies', 'it exited with code 1, and wrote a line to stdout'));
        assert.match(
          hung?.message ?? '',
          why('hangs', 'it did not answer within 10 s\\. If it needs longer'),
        );
        assert.match(babbled?.message ?? '', why('babbles', 'it '));
        const done = { value: 'done' };
        assert.deepEqual(others, [done, done, done]);
        const [found] = await callAll(server, ['mcp__good__environment']);
        const variables = (found?.value ?? []) as [string, string][];
        assert.deepEqual(
          variables.filter(([name]) => !inherited.includes(name)),
          [['LISTED', 'yes']],
        );
        const [ended, refused] = await callAll(server, ['mcp__good__die', 'mcp__prints__refuse']);
        assert.match(ended?.message ?? '', /^Server good exited with code 1 during the call/);
        assert.equal(refused?.code, 'internal');
        assert.deepEqual(await callAll(server, ['mcp__good__work']), [done]);
        // Servers without a session have ended; the output of the one that floods is read, but not stored.
        await until(async () =>
          (await descendantsOf(server.pid)).every(
            ({ commandLine }) => !/bad-upstream\.mjs (?:dies|hangs|babbles)/.test(commandLine),
          ),
        );
        assert.ok(server.output.log.length < 100_000, `The log has ${server.output.log.length} characters.`);
      });
    },
  },
];
