import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { withAttacked } from './attacked-server.js';
import type { ServerAttack } from './server-attack.js';
import { badEntry, callAll } from './upstream-definitions.js';

const requestingServer = fileURLToPath(new URL('./requesting-server.mjs', import.meta.url));

/** Attacks by upstream servers that send requests to their client. */
export const endlessRequests: readonly ServerAttack[] = [
  {
    id: 'CFG-24',
    what: 'be an upstream server that sends endless requests and reads no answer, over stdio and over HTTP',
    stoppedBy: 'server (100 pending answers for each server; one that asks for more is abandoned)',
    async attack() {
      const http = spawn(process.execPath, [requestingServer, 'http'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const [url] = (await once(createInterface({ input: http.stdout }), 'line')) as [string];
        const mcpServers = {
          stdio: { command: process.execPath, args: [requestingServer] },
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
