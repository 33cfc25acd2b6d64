import assert from 'node:assert/strict';

import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

/** Too short to be known as a secret. */
const pin = 'Zq7#';
/** Any long argument may be one. */
const own = 'the seed phrase of the server';

const confessor = (way: string) => {
  const { args, ...entry } = badEntry(way);
  return { ...entry, args: [...args, '--api-key', 'env:API_KEY', pin, own] };
};

/** What servers print when they end is the operator's to read, and nobody else's. */
export const lastWords: readonly ServerAttack[] = [
  {
    id: 'CFG-15',
    what: 'have an upstream server that ends print secrets: short ones, its own, those of its arguments, in Base64, in a URL',
    stoppedBy: 'server (what a server prints goes to the log alone, known secrets replaced there)',
    async attack() {
      const mcpServers = { early: confessor('confesses'), late: confessor('works') };
      await withAttacked({ config: { mcpServers, policy: {} } }, async (server) => {
        const outcomes = await callAll(server, ['mcp__early__work', 'mcp__late__confess']);
        assert.match(outcomes[0]?.message ?? '', /it exited with code 1/);
        assert.match(outcomes[1]?.message ?? '', /exited with code 1 during the call/);
        const listed = await server.run('return await discoverMCPTools()');
        const told = JSON.stringify([outcomes, listed, await server.health()]);
        for (const secret of [pin, own]) {
          assert.ok(!told.includes(secret), `Programs and the model are told ${secret}.`);
        }
        assert.ok(server.words.log.includes(pin), 'The operator is not told.');
        assert.ok(!server.words.log.includes(own), 'The log has an argument.');
        assert.ok(!told.includes('I confess'), 'What it printed is told.');
      });
    },
  },
];
