import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { descendantsOf } from '../../server-under-test/processes.js';
import { until } from '../../server-under-test/until.js';
import type { StdioArena } from '../arena/stdio-arena.js';
import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';

const badUpstream = fileURLToPath(new URL('./bad-upstream.mjs', import.meta.url));
const ways = ['dies', 'hangs', 'babbles', 'floods', 'prints'] as const;

/** An entry for a server that misbehaves; its token is a secret of the server's environment. */
export const badEntry = (way: string) => ({
  command: process.execPath,
  args: [badUpstream, way],
  env: { TOKEN: 'env:API_KEY' },
});

/** What came of a call: its value, or the error that the program caught. */
export interface CallOutcome {
  value?: unknown;
  code?: string;
  message?: string;
}

/** Calls tools at once from one program; resolves with what came of each. */
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

/** What a child process finds in its environment beside what its entry lists. */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'USER', 'SHELL'];

/** Upstream servers that are defined, and do what they like. */
export const upstreamDefinitions: readonly ServerAttack[] = [
  {
    id: 'CFG-13',
    what: 'be an upstream server that exits, hangs, floods stderr, prints without end what is no protocol, looks for secrets in its environment',
    stoppedBy: 'server (listed variables only; bounded lines, log and time; each server fails for itself)',
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
            `^Tool mcp__${way}__work cannot be called, for its server ${way} is unavailable: ${reason}`,
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
        // Those without a session are gone; what floods is read on, and not kept.
        await until(async () =>
          (await descendantsOf(server.pid)).every(
            ({ commandLine }) => !/bad-upstream\.mjs (?:dies|hangs|babbles)/.test(commandLine),
          ),
        );
        assert.ok(server.words.log.length < 100_000, `The log has ${server.words.log.length} characters.`);
      });
    },
  },
];
