import assert from 'node:assert/strict';

import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

/** Too short to be recognized as a secret. */
const pin = 'Zq7#';
/** Any long argument may be a secret. */
const own = 'the seed phrase of the server';

const confessor = (way: string) => {
  const { args, ...entry } = badEntry(way);
  return { ...entry, args: [...args, '--api-key', 'env:API_KEY', pin, own] };
};

/** Attacks by upstream servers that print secrets; only the operator may read what they print. */
export const printedSecrets: readonly ServerAttack[] = [
  {
    id: 'CFG-15',
    what: 'make an upstream server print secrets when it ends: short ones, its own, those of its arguments, in Base64, in a URL',
    stoppedBy: 'server (the output of a server goes only to the log, where known secrets are replaced)',
    async attack() {
      const mcpServers = { early: confessor('confesses'), late: confessor('works') };
      await withAttacked({ config: { mcpServers, policy: {} } }, async (server) => {
        const outcomes = await callAll(server, ['mcp__early__work', 'mcp__late__confess']);
        assert.match(outcomes[0]?.message ?? '', /it exited with code 1/);
        assert.match(outcomes[1]?.message ?? '', /exited with code 1 during the call/);
        const listed = await server.run('return await discoverMCPTools()');
        const visible = JSON.stringify([outcomes, listed, await server.health()]);
        for (const secret of [pin, own]) {
          assert.ok(!visible.includes(secret), `Programs and the model can see ${secret}.`);
        }
        assert.ok(server.output.log.includes(pin), 'The log does not contain what the server printed.');
        assert.ok(!server.output.log.includes(own), 'The log contains an argument.');
        assert.ok(!visible.includes('I confess'), 'Programs and the model can see what the server printed.');
      });
    },
  },
];
