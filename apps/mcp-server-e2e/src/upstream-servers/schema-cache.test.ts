import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { createHome, removeHome } from '../server-under-test/home.js';
import { descendantsOf } from '../server-under-test/processes.js';
import { StartedServer, withServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { realServer } from './entries.js';

const names = ['everything', 'memory'];
const discover = `const tools = await discoverMCPTools();
  return tools.map(({ server, unavailable }) => ({ server, unavailable }));`;

/** Listings wait for all servers, however long they take to start. */
const discovery = { timeoutMs: 60_000 };

interface Hit {
  server: string;
  unavailable?: { reason: string; fix: string };
}

let home: string;
const start = () => StartedServer.start({}, { CODE_EXECUTOR_HOME: join(home, 'kept') }, home);
const cacheFile = () => readFile(join(home, 'kept', 'schema-cache.json'), 'utf8').catch(() => '');
/** Like `withServer`, but keeps the home for the next start. */
const once = <T>(ask: (server: StartedServer) => Promise<T>) =>
  withServer(
    start().then((server) => ({ server, close: () => server.client.close() })),
    ({ server }) => ask(server),
  );

beforeAll(async () => {
  home = await createHome();
  const cwd = join(home, 'place');
  await mkdir(cwd);
  const mcpServers = {
    everything: { ...realServer('everything', 'stdio'), cwd },
    memory: { ...realServer('memory'), cwd },
  };
  await writeFile(join(home, '.claude.json'), JSON.stringify({ mcpServers }));
  await writeFile(join(home, '.code-executor.json'), JSON.stringify({ discovery }), { mode: 0o600 });
});
afterAll(() => removeHome(home));

test('discovery works after a restart, and without its upstream servers', async () => {
  const first = await once(async (server) => {
    const report = await server.run(discover, { allowedTools: ['*'] });
    return report.result as unknown as Hit[];
  });
  expect(new Set(first.map(({ server }) => server))).toEqual(new Set(names));
  // It is written when the server ends at the latest, and the client does not wait for that.
  await until(async () => {
    const text = await cacheFile();
    return names.every((name) => text.includes(`"key":"${name}#`));
  });

  // With a warm cache, a listing starts no upstream server, and a call starts one.
  await once(async (server) => {
    expect((await server.run(discover, { allowedTools: ['*'] })).result).toEqual(first);
    const upstream = async () =>
      (await descendantsOf(server.pid)).filter(({ commandLine }) =>
        commandLine.includes('modelcontextprotocol'),
      );
    expect(await upstream()).toEqual([]);
    const call = "return await callMCPTool('mcp__everything__echo', { message: 'hi' })";
    expect((await server.run(call, { allowedTools: ['*'] })).result).toBe('Echo: hi');
    expect(await upstream()).toHaveLength(1);
  });

  // The servers cannot be started without the folder that they run in.
  await rm(join(home, 'place'), { recursive: true });
  await writeFile(
    join(home, '.code-executor.json'),
    JSON.stringify({ schemaCache: { ttlMs: 1 }, discovery }),
    {
      mode: 0o600,
    },
  );
  await once(async (server) => {
    const cached = await server.run(discover, { allowedTools: ['*'] });
    expect(cached.result).toEqual(first);
    expect(cached.unavailableServers ?? []).toEqual([]);
    await until(async () => {
      const { structured } = await server.call('health', {});
      return (structured['servers'] as { state: string }[]).every(({ state }) => state === 'failed');
    });
    const next = await server.run(discover, { allowedTools: ['*'] });
    expect(next.unavailableServers?.map(({ server: name }) => name)).toEqual(names);
    const hits = next.result as unknown as Hit[];
    expect(hits.map(({ server: name }) => name)).toEqual(first.map(({ server: name }) => name));
    for (const { server: name, unavailable } of hits) {
      expect(unavailable?.reason).toBe('its command node, or its working directory, was not found');
      expect(unavailable?.fix).toContain(name);
    }
  });

  // With another definition, it is another server.
  const mcpServers = { everything: { command: 'false' }, memory: realServer('memory') };
  await writeFile(join(home, '.claude.json'), JSON.stringify({ mcpServers }));
  await once(async (server) => {
    const report = await server.run(discover, { allowedTools: ['*'] });
    expect((report.result as unknown as Hit[]).every((hit) => hit.server === 'memory')).toBe(true);
    expect(report.unavailableServers).toMatchObject([
      { server: 'everything', reason: 'it exited with code 1' },
    ]);
  });
});
