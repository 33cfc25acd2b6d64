import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

const askingServer = fileURLToPath(new URL('./asking-server.mjs', import.meta.url));

/** Upstream servers may ask their client, too. */
export const endlessQuestions: readonly ServerAttack[] = [
  {
    id: 'CFG-24',
    what: 'be an upstream server that sends requests without end and takes no answer, over stdio and over HTTP',
    stoppedBy: 'server (100 answers under way for each server; one that asks for more is given up)',
    async attack() {
      const http = spawn(process.execPath, [askingServer, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const [url] = (await once(createInterface({ input: http.stdout }), 'line')) as [string];
        const mcpServers = {
          stdio: { command: process.execPath, args: [askingServer] },
          http: { type: 'http', url },
          good: badEntry('works'),
        };
        await withAttacked({ config: { mcpServers, policy: {} } }, async (server) => {
          const [byStdio, byHttp, good] = await callAll(server, [
            'mcp__stdio__work',
            'mcp__http__work',
            'mcp__good__work',
          ]);
          const lost = (name: string) => ({
            code: 'resource_exhausted',
            message: `Server ${name} sent more requests than it takes answers to during the call of mcp__${name}__work.`,
          });
          assert.deepEqual([byStdio, byHttp, good], [lost('stdio'), lost('http'), { value: 'done' }]);
        });
      } finally {
        http.kill('SIGKILL');
      }
    },
  },
];
