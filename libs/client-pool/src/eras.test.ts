import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from './client-pool.js';
import {
  dataOf,
  errorOf,
  patient,
  startHttpServer,
  until,
  type RunningServer,
} from './fixture-servers.test.support.js';
import type { HttpServer } from './options.js';
import { SessionCache } from './catalog/tool-list-cache.js';

let running: RunningServer;
let pools: ClientPool[] = [];

afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
  await running.close();
});

const start = async (...args: string[]) => {
  running = await startHttpServer('modern-server.mjs', 'http', ...args);
};
const poolOf = (server: Partial<HttpServer> = {}, cache?: SessionCache) => {
  const pool = new ClientPool({
    servers: { remote: { ...running.server, ...server } },
    ...patient,
    ...(cache && { cache }),
  });
  pools.push(pool);
  return pool;
};
const at = (path: string) => new URL(path, running.server.url);
const seen = async () => (await (await fetch(at('/seen'))).json()) as string[];
const speakOnly = (era: string) => fetch(at(`/era?now=${era}`), { method: 'POST' });

describe('a server that speaks both eras over HTTP', () => {
  beforeEach(() => start('both'));

  test('is asked for the modern era first', async () => {
    await dataOf(poolOf(), 'remote__echo', { a: 1 });
    const methods = await seen();
    expect(methods[0]).toBe('server/discover');
    expect(methods).not.toContain('initialize');
    expect(methods).toContain('tools/call');
  });

  test('is spoken to in the old way where the configuration says so', async () => {
    await dataOf(poolOf({ protocol: 'legacy' }), 'remote__echo');
    const methods = await seen();
    expect(methods[0]).toBe('initialize');
    expect(methods).not.toContain('server/discover');
  });

  test('gets the trace of the call', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { structuredContent } = await poolOf().callTool('mcp__remote__echo', {}, { traceparent });
    expect(structuredContent).toEqual({ args: {}, traceparent });
  });

  test('hears when a call is cancelled', async () => {
    const pool = poolOf();
    const abort = new AbortController();
    const call = errorOf(pool.callTool('mcp__remote__hang', {}, { signal: abort.signal }));
    const hangs = async () => dataOf(pool, 'remote__hangs');
    await until(async () => (await hangs())['started'] === 1);
    abort.abort();
    expect((await call).code).toBe('cancelled');
    await until(async () => (await hangs())['cancelled'] === 1);
  });

  test('tells of new tools, which are listed without a restart', async () => {
    const pool = poolOf();
    await pool.listTools();
    await until(async () => (await seen()).includes('subscriptions/listen'));
    await dataOf(pool, 'remote__add_tool', { name: 'late' });
    await until(async () => (await pool.listTools()).tools.some(({ name }) => name === 'mcp__remote__late'));
  });

  test('gets the arguments that its schema names in headers, too', async () => {
    const args = { region: 'Zürich', place: { floor: 3 }, isDry: false, absent: null, secret: 'x' };
    const { headers } = await dataOf(poolOf(), 'remote__echo_headers', args);
    expect(headers).toEqual({
      'mcp-param-region': '=?base64?WsO8cmljaA==?=',
      'mcp-param-floor': '3',
      'mcp-param-dry': 'false',
    });
  });

  test('gets no such headers in the old way', async () => {
    const pool = poolOf({ protocol: 'legacy' });
    expect(await dataOf(pool, 'remote__echo_headers', { region: 'west' })).toEqual({ headers: {} });
  });

  test('has a tool left out whose headers are declared badly, in the modern era only', async () => {
    const names = async (pool: ClientPool) => (await pool.listTools()).tools.map(({ name }) => name);
    expect(await names(poolOf())).not.toContain('mcp__remote__bad_headers');
    expect(await names(poolOf({ protocol: 'legacy' }))).toContain('mcp__remote__bad_headers');
  });

  test('has its results passed on without a look at its output schema', async () => {
    const pool = poolOf();
    await pool.listTools();
    expect(await dataOf(pool, 'remote__bad_output')).toEqual({ count: 'many' });
  });
});

describe('what is known about the era of a server', () => {
  test('saves the question when it is connected again', async () => {
    await start('both');
    const cache = new SessionCache();
    await poolOf({}, cache).listTools();
    await seen();
    await dataOf(poolOf({}, cache), 'remote__echo');
    expect(await seen()).not.toContain('server/discover');
  });

  test('is asked again when the server went back to the old era, and the call is made once', async () => {
    await start('both');
    const cache = new SessionCache();
    await poolOf({}, cache).listTools();
    await speakOnly('legacy');
    await seen();
    expect(await dataOf(poolOf({}, cache), 'remote__echo', { a: 1 })).toMatchObject({ args: { a: 1 } });
    const methods = await seen();
    expect(methods).toEqual(expect.arrayContaining(['server/discover', 'initialize']));
    expect(methods.filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  test('is asked again when the server speaks the modern era only', async () => {
    await start('both');
    await speakOnly('legacy');
    const cache = new SessionCache();
    await poolOf({}, cache).listTools();
    await speakOnly('modern');
    expect(await dataOf(poolOf({}, cache), 'remote__echo', { a: 1 })).toMatchObject({ args: { a: 1 } });
    expect(await seen()).toContain('server/discover');
  });
});

test('a list is read again in the background when it is older than its server says', async () => {
  await start('both', '1');
  const pool = poolOf();
  await pool.listTools();
  const lists = async () => (await seen()).filter((method) => method === 'tools/list').length;
  expect(await lists()).toBe(1);
  let later = 0;
  await until(async () => {
    await pool.listTools();
    later += await lists();
    return later > 0;
  });
});
