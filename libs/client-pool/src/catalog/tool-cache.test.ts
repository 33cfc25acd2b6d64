import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import { definitionKey } from './definition-key.js';
import { dataOf, errorOf, patient, stdioServer, until } from '../fixture-servers.test.support.js';
import type { UpstreamServer } from '../options.js';
import type { ToolListCache } from './tool-list-cache.js';

const kit = stdioServer('kit-server.mjs', 'stdio');
const dead = { command: '/no/such/command' };

/** A minimal cache; the test sets `isExpired`. */
class TestCache implements ToolListCache {
  readonly values = new Map<string, unknown>();
  isExpired = false;
  refreshing: Promise<unknown> = Promise.resolve();

  async getOrLoad(...[key, load, judge]: Parameters<ToolListCache['getOrLoad']>): Promise<unknown> {
    const value = this.values.get(key);
    const verdict = value === undefined ? 'unusable' : judge(value);
    if (verdict === 'unusable') return this.#load(key, load);
    if (verdict === 'stale' || this.isExpired) this.refreshing = this.#load(key, load).catch(() => {});
    return value;
  }

  async #load(key: string, load: () => Promise<unknown>): Promise<unknown> {
    const value = JSON.parse(JSON.stringify(await load())) as unknown;
    this.values.set(key, value);
    return value;
  }
}

const folders: string[] = [];
const pools: ClientPool[] = [];
const open = (servers: Record<string, UpstreamServer>, cache: ToolListCache, options = {}) => {
  const pool = new ClientPool({ ...patient, servers, cache, ...options });
  pools.push(pool);
  return pool;
};
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** A fixture that cannot be started again after `die()`. */
const mortalServer = async (file: string, ...args: string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'client-pool-'));
  folders.push(folder);
  const grave = join(folder, 'grave');
  const [path = '', ...rest] = stdioServer(file, ...args).args ?? [];
  const script = `
    if (require('node:fs').existsSync(${JSON.stringify(grave)})) process.exit(1);
    import(${JSON.stringify(path)});`;
  return {
    server: { command: process.execPath, args: ['-e', script, '--', path, ...rest] },
    die: () => writeFile(grave, ''),
  };
};

/** A cache that knows the tools of these servers. */
const warmed = async (servers: Record<string, UpstreamServer>) => {
  const cache = new TestCache();
  expect((await open(servers, cache).listTools()).failedServers).toEqual([]);
  return cache;
};

describe('ClientPool with a warm cache', () => {
  test('lists without connecting, keeps what tools declare, and a call connects its own server only', async () => {
    const servers = { kit, raw: stdioServer('raw-server.mjs', 'uncompilable') };
    const cache = new TestCache();
    const { tools } = await open(servers, cache).listTools();
    const pool = open(servers, cache);
    expect(await pool.listTools()).toEqual({ tools, failedServers: [] });
    expect(tools.find(({ name }) => name === 'mcp__raw__good')).toMatchObject({
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    });
    expect((await pool.listTools({ name: 'mcp__kit__echo' })).tools).toHaveLength(1);
    expect(pool.stats.servers.map(({ state }) => state)).toEqual(['idle', 'idle']);
    expect(await dataOf(pool, 'kit__echo', { text: 'x' })).toEqual({ text: 'x' });
    expect(pool.stats.servers).toMatchObject([
      { name: 'kit', state: 'connected', tools: 2 },
      { name: 'raw', state: 'idle' },
    ]);
  });

  test('answers the same array as long as nothing changed', async () => {
    const cache = await warmed({ kit });
    const pool = open({ kit }, cache);
    const { tools } = await pool.listTools();
    expect((await pool.listTools()).tools).toBe(tools);
    cache.isExpired = true;
    await pool.listTools();
    await cache.refreshing;
    expect((await pool.listTools()).tools).toBe(tools);
  });

  test('answers at once although the server is down, and afterwards says that it fails', async () => {
    const mortal = await mortalServer('kit-server.mjs', 'stdio');
    const cache = await warmed({ kit: mortal.server });
    await mortal.die();
    cache.isExpired = true;
    const pool = open({ kit: mortal.server }, cache);
    const first = await pool.listTools();
    expect(first.failedServers).toEqual([]);
    expect(first.tools.map(({ unavailable }) => unavailable)).toEqual([undefined, undefined]);
    await cache.refreshing;
    const second = await pool.listTools();
    const reason = 'it exited with code 1';
    expect(second.failedServers).toEqual([
      {
        server: 'kit',
        reason,
        fix: expect.stringContaining('kit') as unknown,
        retryAfterMs: expect.any(Number) as unknown,
      },
    ]);
    const fix = second.failedServers[0]?.fix;
    expect(second.tools.map(({ unavailable }) => unavailable)).toEqual([
      { reason, fix },
      { reason, fix },
    ]);
    expect((await pool.listTools()).tools).toBe(second.tools);
    expect(await errorOf(pool.callTool('mcp__kit__echo', {}))).toMatchObject({
      code: 'unavailable',
      server: 'kit',
    });
  });

  test('treats a server with another definition as another server', async () => {
    const cache = await warmed({ kit });
    const pool = open({ kit: dead }, cache);
    const { tools, failedServers } = await pool.listTools();
    expect([tools, failedServers]).toMatchObject([[], [{ reason: 'its command command was not found' }]]);
    expect((await open({ kit }, cache).listTools()).tools).toHaveLength(2);
  });

  test('lists a server again when a call connects it, and asks it for a tool that is not in the cached list', async () => {
    const old = await warmed({ raw: stdioServer('raw-server.mjs', 'ambiguous', 'a') });
    const [list] = old.values.values();
    const raw = stdioServer('raw-server.mjs', 'ambiguous', 'a', 'b', 'c');
    const cache = await warmed({ raw });
    const setOld = () => [...cache.values.keys()].forEach((key) => cache.values.set(key, list));
    const names = async (pool: ClientPool) => (await pool.listTools()).tools.map(({ name }) => name.at(-1));
    setOld();
    const first = open({ raw }, cache);
    expect(await names(first)).toEqual(['a']);
    expect(await dataOf(first, 'raw__a')).toMatchObject({ name: 'a' });
    expect(await names(first)).toEqual(['a', 'b', 'c']);
    setOld();
    const second = open({ raw }, cache);
    expect(await dataOf(second, 'raw__b')).toMatchObject({ name: 'b' });
    setOld();
    const lookUp = { name: 'mcp__raw__c', untilReady: true } as const;
    expect((await open({ raw }, cache).listTools(lookUp)).tools).toHaveLength(1);
    expect((await errorOf(open({ raw }, cache).callTool('mcp__raw__d', {}))).code).toBe('not_found');
  });

  test('gives a call to a server with a shorter name only if the other is known not to have the tool', async () => {
    const pay = stdioServer('raw-server.mjs', 'ambiguous', 'prod__charge', 'prod__refund');
    const prod = await mortalServer('raw-server.mjs', 'ambiguous', 'charge');
    const cache = await warmed({ pay, pay__prod: prod.server });
    await prod.die();
    const pool = open({ pay, pay__prod: prod.server }, cache);
    expect(await errorOf(pool.callTool('mcp__pay__prod__charge', {}))).toMatchObject({
      code: 'unavailable',
      server: 'pay__prod',
    });
    expect(await dataOf(pool, 'pay__prod__refund')).toMatchObject({ name: 'prod__refund' });
  });

  test('stores nothing of the configuration', async () => {
    const secret = 'hunter2hunter2';
    const cache = await warmed({ kit: { ...kit, args: [...(kit.args ?? []), secret], env: { A: secret } } });
    expect(JSON.stringify([...cache.values])).not.toContain(secret);
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['no tools', { configuration: 'x' }],
    ['a tool without schema', { tools: [{ name: 'a' }] }],
    ['a control character in a name', { tools: [{ name: 'a\u001b', inputSchema: {} }] }],
    ['a name twice', { tools: ['a', 'a'].map((name) => ({ name, inputSchema: {} })) }],
    ['a name too long', { tools: [{ name: 'a'.repeat(300), inputSchema: {} }] }],
    [
      'too many tools',
      { tools: Array.from({ length: 10_001 }, (_, i) => ({ name: `t${i}`, inputSchema: {} })) },
    ],
    ['17 MB', { tools: [{ name: 'a', inputSchema: {}, description: 'x'.repeat(17_000_000) }] }],
    ['endless nesting', { tools: [{ name: 'a', inputSchema: nested(50_000) }] }],
  ])('asks the server if the cache holds %s', async (_what, value) => {
    const cache = new TestCache();
    cache.values.set(definitionKey('kit', kit), value);
    const { tools } = await open({ kit }, cache).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['mcp__kit__echo', 'mcp__kit__fail']);
  });

  test('waits for a requested refresh no longer than discoveryTimeoutMs', async () => {
    const wild = stdioServer('wild-server.mjs', 'stdio');
    const cache = await warmed({ wild });
    const [[key, known]] = [...cache.values] as [[string, { tools: unknown[] }]];
    cache.values.set(key, { tools: known.tools.slice(0, 1) });
    const pool = open({ wild }, cache, { discoveryTimeoutMs: 60_000 });
    expect((await pool.listTools()).tools).toHaveLength(1);
    expect((await pool.listTools({ refresh: true })).tools).toHaveLength(known.tools.length);

    const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    cache.values.set(definitionKey('wild', silent), known);
    const hasty = open({ wild: silent }, cache, { discoveryTimeoutMs: 10 });
    const { tools, failedServers } = await hasty.listTools({ refresh: true });
    expect([tools.length, failedServers]).toEqual([known.tools.length, []]);
  });

  test('keeps the list of a server whose connection ended', async () => {
    const wild = stdioServer('wild-server.mjs', 'stdio');
    const cache = await warmed({ wild });
    const pool = open({ wild }, cache);
    await errorOf(pool.callTool('mcp__wild__crash', {}));
    await until(() => pool.stats.servers[0]?.state === 'idle');
    expect((await pool.listTools()).tools.length).toBeGreaterThan(0);
    expect(pool.stats.servers[0]?.state).toBe('idle');
  });
});

function nested(depth: number): object {
  let schema = {};
  for (let i = 0; i < depth; i += 1) schema = { not: schema };
  return schema;
}
