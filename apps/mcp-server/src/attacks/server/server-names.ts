import assert from 'node:assert/strict';

import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

/** Servers whose names are the beginnings of others'. */
export const serverNames: readonly ServerAttack[] = [
  {
    id: 'CFG-19',
    what: "have a call reach another server's tool: one called prod__work, while the server whose name it begins with is down",
    stoppedBy: 'server (a call that either of two servers may own waits for both lists)',
    async attack() {
      const mcpServers = { pay: badEntry('works'), pay__prod: badEntry('dies') };
      await withAttacked({ config: { mcpServers, policy: {} } }, async (server) => {
        for (let round = 0; round < 2; round++) {
          const [own, others] = await callAll(server, ['mcp__pay__work', 'mcp__pay__prod__work']);
          assert.deepEqual(own, { value: 'done' });
          assert.equal(others?.code, 'unavailable');
          assert.match(others.message ?? '', /Server pay__prod is unavailable/);
        }
      });
    },
  },
];
