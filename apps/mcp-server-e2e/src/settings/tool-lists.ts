import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

import { expect } from '@jest/globals';

import { untilGone } from '../server-under-test/processes.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { alone, overStdio } from './effect-check.js';
import { inTurn, noSpares, up, upstream } from './upstream.js';

const common = {
  mcpServers: up,
  sandbox: { spares: noSpares },
  policy: { defaultAllowedTools: ['*'] },
  // The first listing waits for the server.
  discovery: { timeoutMs: 60_000 },
};

/** Uses a fake Redis, which closes each connection without an answer. */
async function showStore(): Promise<void> {
  const redis = createServer().listen(0, '127.0.0.1');
  await once(redis, 'listening');
  const asked = once(redis, 'connection');
  redis.on('connection', (socket) => socket.on('error', () => undefined).end());
  const store = `redis://127.0.0.1:${(redis.address() as AddressInfo).port}`;
  const config = JSON.stringify({ ...common, schemaCache: { store } });
  await withServer(StartedServer.start({ '.code-executor.json': config }), async (server) => {
    await Promise.all([asked, server.run('await discoverMCPTools();')]);
  });
  redis.close();
}

export const toolListChecks = [
  overStdio({
    config: common,
    shows: {
      'discovery.timeoutMs': async (server) => {
        const code = `await callMCPTool('mcp__up__change', {});
          return (await discoverMCPTools()).map(({ name }) => name);`;
        await server.run('await discoverMCPTools();');
        // They are listed after a second, twice the default time that a listing waits.
        expect((await server.run(code)).result).toContain('mcp__up__added');
      },
    },
  }),
  overStdio({
    config: { ...common, schemaCache: { ttlMs: 1 } },
    shows: {
      'schemaCache.ttlMs': async (server) => {
        await server.run('await discoverMCPTools();');
        await server.run('await discoverMCPTools();');
        const lists = async () => {
          const { result } = await server.run(inTurn(['tell']));
          return (result as unknown as [{ lists: number }])[0].lists;
        };
        await until(async () => (await lists()) > 1);
      },
    },
  }),
  overStdio({
    config: { ...common, mcpServers: { ...up, twin: upstream() }, schemaCache: { maxEntries: 1 } },
    shows: {
      'schemaCache.maxEntries': async (server) => {
        const { result } = await server.run('return (await discoverMCPTools()).length');
        expect(result).toBe(10);
        await server.client.close();
        await untilGone([server.pid]);
        const file = await readFile(join(server.home, '.code-executor', 'schema-cache.json'), 'utf8');
        expect(file.match(/"key":/g)).toHaveLength(1);
      },
    },
  }),
  alone({ 'schemaCache.store': showStore }),
];
