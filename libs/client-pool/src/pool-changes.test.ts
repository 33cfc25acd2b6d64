import { afterEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from './client-pool.js';
import {
  dataOf,
  errorOf,
  everything,
  patient,
  type RunningServer,
  stdioServer,
  until,
} from './fixture-servers.test.support.js';
import type { UpstreamServer } from './options.js';

let pool: ClientPool | undefined;
const running: RunningServer[] = [];
const open = (servers: Record<string, UpstreamServer>, options = {}) => {
  pool = new ClientPool({ ...patient, servers, ...options });
  return pool;
};
afterEach(async () => {
  await pool?.close();
  for (const { close } of running.splice(0)) await close();
});

/** Waits for something that happens during a call; it cannot happen any more once the call has ended. */
const during = async (call: Promise<unknown>, hasHappened: () => boolean) => {
  let isOver = false;
  const end = () => (isOver = true);
  void call.then(end, end);
  await until(() => isOver || hasHappened());
};

describe('ClientPool with servers that cannot be used', () => {
  const broken = { server: 'broken', reason: 'it is not trusted', fix: 'Trust it.' };

  test('names them in listings and stats, and in the error of a call', async () => {
    const pool = open({ kit: stdioServer('kit-server.mjs', 'stdio') }, { unusable: [broken] });
    expect((await pool.listTools()).failedServers).toEqual([broken]);
    expect((await pool.listTools({ server: 'broken' })).failedServers).toEqual([broken]);
    expect((await pool.listTools({ name: 'mcp__broken__x' })).failedServers).toEqual([broken]);
    expect((await pool.listTools({ server: 'kit' })).failedServers).toEqual([]);
    expect(pool.stats.servers.find(({ name }) => name === 'broken')).toMatchObject({
      state: 'failed',
      reason: 'it is not trusted',
    });
    const error = await errorOf(pool.callTool('mcp__broken__x', {}));
    expect(error).toMatchObject({
      code: 'unavailable',
      server: 'broken',
      message: 'Server broken is unavailable: it is not trusted. Trust it.',
    });
    expect(error.retryAfterMs).toBeUndefined();
  });

  test('names those of the last update', async () => {
    const pool = open({}, { unusable: [broken] });
    pool.update({}, [{ ...broken, server: 'other' }]);
    expect((await pool.listTools()).failedServers).toEqual([{ ...broken, server: 'other' }]);
    pool.update({ kit: stdioServer('kit-server.mjs', 'stdio') });
    expect((await pool.listTools()).failedServers).toEqual([]);
  });

  test('lists the same array as long as nothing changes', async () => {
    const pool = open({ kit: stdioServer('kit-server.mjs', 'stdio') }, { unusable: [broken] });
    const { tools } = await pool.listTools();
    expect((await pool.listTools()).tools).toBe(tools);
  });
});

describe('ClientPool.drain()', () => {
  test('waits for the calls under way, and for one that follows a listing', async () => {
    const pool = open({ everything: everything('stdio') });
    const both = pool
      .listTools()
      .then(() =>
        pool.callTool('mcp__everything__trigger-long-running-operation', { duration: 1, steps: 2 }),
      );
    await pool.drain(30_000);
    expect(pool.stats.active).toBe(0);
    await pool.close();
    expect((await both).isError).not.toBe(true);
  });

  test('waits until its limit, and not at all if nothing is under way', async () => {
    const pool = open({ everything: everything('stdio') });
    await pool.drain(30_000);
    const long = errorOf(
      pool
        .listTools()
        .then(() => pool.callTool('mcp__everything__trigger-long-running-operation', { duration: 30 })),
    );
    await during(long, () => pool.stats.active > 0);
    await pool.drain(20);
    expect(pool.stats.active).toBe(1);
    await pool.close();
    expect((await long).code).toBe('cancelled');
  });
});

describe('ClientPool.update()', () => {
  const names = (pool: ClientPool) =>
    pool.listTools().then(({ tools }) => [...new Set(tools.map((tool) => tool.server))]);

  test('adds and removes servers, and leaves those that stay connected', async () => {
    const kept = stdioServer('kit-server.mjs', 'stdio');
    const pool = open({ kept, removed: stdioServer('kit-server.mjs', 'stdio') });
    await pool.listTools();
    const before = pool.stats.servers.find(({ name }) => name === 'kept');
    pool.update({ kept: { ...kept }, added: stdioServer('kit-server.mjs', 'stdio') });
    expect(pool.stats.servers.map(({ name, state }) => [name, state])).toEqual([
      ['kept', before?.state],
      ['added', 'idle'],
    ]);
    expect(before?.state).toBe('connected');
    expect(await names(pool)).toEqual(['kept', 'added']);
    expect((await errorOf(pool.callTool('mcp__removed__echo', {}))).code).toBe('not_found');
  });

  test('lets a removed server finish its calls, and then ends it', async () => {
    const pool = open({ everything: everything('stdio') });
    await pool.listTools();
    const long = pool.callTool('mcp__everything__trigger-long-running-operation', { duration: 1, steps: 2 });
    await during(long, () => pool.stats.active > 0);
    pool.update({});
    expect((await long).isError).not.toBe(true);
    expect(await names(pool)).toEqual([]);
  });

  test('rejects calls that wait for the connection of a removed server, and says that it was removed', async () => {
    const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
    const pool = open({ silent });
    const call = errorOf(pool.callTool('mcp__silent__x', {}));
    await during(call, () => pool.stats.servers[0]?.state === 'connecting');
    pool.update({});
    expect(await call).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('removed from it. List the tools'),
    });
  });

  test('gives up a removed server after drainMs', async () => {
    const pool = open({ everything: everything('stdio') });
    await pool.listTools();
    const long = pool.callTool('mcp__everything__trigger-long-running-operation', { duration: 60, steps: 2 });
    await during(long, () => pool.stats.active > 0);
    pool.update({}, [], 20);
    expect((await errorOf(long)).code).toBe('cancelled');
  });

  test('gives a call that waited for its turn to the server as it is configured by then', async () => {
    const pool = open({ everything: everything('stdio') }, { maxConcurrent: 1 });
    await pool.listTools();
    const long = pool.callTool('mcp__everything__trigger-long-running-operation', { duration: 1, steps: 2 });
    const waiting = pool.callTool('mcp__everything__echo', { message: 'hi' });
    await during(waiting, () => pool.stats.waiting > 0);
    pool.update({ everything: { ...everything('stdio'), env: { CHANGED: 'yes' } } });
    await long;
    expect((await waiting).content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
    const env = await pool.callTool('mcp__everything__get-env', {});
    expect(JSON.stringify(env.content)).toContain('CHANGED');
  });

  test('gives a call that was meant for one server to no other, even if that has a tool of the same name by then', async () => {
    const pay = stdioServer('raw-server.mjs', 'ambiguous', 'prod__charge');
    const pool = open({ pay });
    const charge = (server?: string) =>
      pool.callTool('mcp__pay__prod__charge', {}, { ...(server !== undefined && { server }) });
    expect(await dataOf(pool, 'pay__prod__charge')).toMatchObject({ name: 'prod__charge' });
    pool.update({ pay, pay__prod: stdioServer('raw-server.mjs', 'ambiguous', 'charge') });
    expect(await errorOf(charge('pay'))).toMatchObject({
      code: 'failed_precondition',
      message:
        'Tool mcp__pay__prod__charge was one of server pay, and is one of pay__prod since the configuration changed; run the program again.',
    });
    expect(JSON.stringify(await charge('pay__prod'))).toContain('charge');
  });
});
