import { afterEach, describe, expect, test } from '@jest/globals';
import { describeToolSource } from '@code-executor/contracts/testing';

import { ClientPool } from './client-pool.js';
import {
  dataOf,
  errorOf,
  everything,
  patient,
  type RunningServer,
  scriptServer,
  startEverything,
  startHttpServer,
  stdioServer,
} from './fixture-servers.test.support.js';
import type { UpstreamServer } from './options.js';

describeToolSource('ClientPool over stdio', () => {
  const pool = new ClientPool({ ...patient, servers: { test: stdioServer('kit-server.mjs', 'stdio') } });
  return Promise.resolve({ source: pool, close: () => pool.close() });
});

for (const transport of ['http', 'sse'] as const) {
  describeToolSource(`ClientPool over ${transport}`, async () => {
    const running = await startHttpServer('kit-server.mjs', transport);
    const pool = new ClientPool({ ...patient, servers: { test: running.server } });
    return { source: pool, close: () => pool.close().then(running.close) };
  });
}

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

const closedCircuit = { circuit: 'closed', failuresInRow: 0, circuitFailures: 0 };

describe('ClientPool with server-everything', () => {
  test.each(['stdio', 'streamableHttp', 'sse'] as const)('lists and calls over %s', async (transport) => {
    if (transport !== 'stdio') running.push(await startEverything(transport));
    const pool = open({ everything: running[0]?.server ?? everything('stdio') });
    const { tools, failedServers } = await pool.listTools();
    expect(failedServers).toEqual([]);
    expect(tools.map((tool) => tool.name)).toContain('mcp__everything__get-sum');
    const sum = await pool.callTool('mcp__everything__get-sum', { a: 40, b: 2 });
    expect(sum.content).toEqual([{ type: 'text', text: 'The sum of 40 and 2 is 42.' }]);
    const { content } = await pool.callTool('mcp__everything__get-tiny-image', {});
    expect(content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
    expect(pool.stats.servers).toEqual([
      { name: 'everything', state: 'connected', tools: tools.length, ...closedCircuit },
    ]);
  });

  test('goes straight to SSE if the configuration says so', async () => {
    const everything = await startEverything('sse');
    running.push(everything);
    const pool = open({ everything: { ...everything.server, type: 'sse' } });
    expect(await pool.callTool('mcp__everything__echo', { message: 'hi' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hi' }],
    });
  });
});

describe('ClientPool', () => {
  test('starts nothing before the first use', async () => {
    const pool = open({ a: stdioServer('kit-server.mjs', 'stdio'), b: { url: 'http://127.0.0.1:1/mcp' } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.stats).toEqual({
      active: 0,
      waiting: 0,
      max: 100,
      servers: [
        { name: 'a', state: 'idle', ...closedCircuit },
        { name: 'b', state: 'idle', ...closedCircuit },
      ],
    });
  });

  test('lists by server order, then by name, and starts only servers that could offer a named tool', async () => {
    const pool = open({
      zoo: stdioServer('raw-server.mjs', 'ambiguous', 'b', 'C', 'a'),
      ant: stdioServer('kit-server.mjs', 'stdio'),
      idle: stdioServer('kit-server.mjs', 'stdio'),
    });
    expect((await pool.listTools({ name: 'mcp__ant__echo' })).tools).toEqual([
      {
        name: 'mcp__ant__echo',
        server: 'ant',
        description: 'Says it again',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ]);
    expect(pool.stats.servers.map(({ state }) => state)).toEqual(['idle', 'connected', 'idle']);
    const names = async (options = {}) => (await pool.listTools(options)).tools.map((tool) => tool.name);
    const all = ['mcp__zoo__C', 'mcp__zoo__a', 'mcp__zoo__b', 'mcp__ant__echo', 'mcp__ant__fail'];
    expect(await names()).toEqual([...all, 'mcp__idle__echo', 'mcp__idle__fail']);
    expect(await names({ query: 'again', limit: 1 })).toEqual(['mcp__zoo__C']);
    expect(await names({ offset: 1, limit: 2 })).toEqual(all.slice(1, 3));
    expect(await names({ server: 'ant' })).toEqual(all.slice(3));
    expect(await names({ server: 'nobody' })).toEqual([]);
    expect(await names({ limit: 0 })).toEqual([]);
  });

  test('resolves any server name, and gives a name that two servers offer to the longer one', async () => {
    const pool = open({
      a: stdioServer('raw-server.mjs', 'ambiguous', 'b__c', 'b__only', 'b__'),
      a__b: stdioServer('raw-server.mjs', 'ambiguous', 'c'),
      'A.b-c_': stdioServer('raw-server.mjs', 'ambiguous', '_d', 'x/y.z-1'),
      ['__proto__']: stdioServer('raw-server.mjs', 'ambiguous', '__proto__', 'toString'),
    });
    const { tools } = await pool.listTools();
    expect(tools.map(({ name, server }) => [server, name])).toEqual([
      ['a', 'mcp__a__b__'],
      ['a', 'mcp__a__b__only'],
      ['a__b', 'mcp__a__b__c'],
      ['A.b-c_', 'mcp__A.b-c____d'],
      ['A.b-c_', 'mcp__A.b-c___x/y.z-1'],
      ['__proto__', 'mcp____proto______proto__'],
      ['__proto__', 'mcp____proto____toString'],
    ]);
    expect(await dataOf(pool, 'a__b__c')).toEqual({ name: 'c', server: 'ambiguous c' });
    expect(await dataOf(pool, 'a__b__only')).toMatchObject({ name: 'b__only' });
    expect(await dataOf(pool, 'A.b-c____d')).toMatchObject({ name: '_d' });
    expect(await dataOf(pool, '__proto______proto__')).toMatchObject({ name: '__proto__' });
    const error = await errorOf(pool.callTool('mcp__a__b__absent', {}));
    expect(error).toMatchObject({ code: 'not_found', tool: 'mcp__a__b__absent' });
  });

  test.each([
    ['does not start', { pay__prod: { command: '/no/such/command' } }, {}],
    [
      'cannot be used',
      {},
      { unusable: [{ server: 'pay__prod', reason: 'it is not trusted', fix: 'Trust it.' }] },
    ],
  ])('gives no call to another server while one that %s may have the tool', async (_how, more, options) => {
    const pay = stdioServer('raw-server.mjs', 'ambiguous', 'prod__charge', 'refund');
    const pool = open({ pay, ...more }, options);
    expect(await errorOf(pool.callTool('mcp__pay__prod__charge', {}))).toMatchObject({
      code: 'unavailable',
      server: 'pay__prod',
    });
    expect(await dataOf(pool, 'pay__refund')).toMatchObject({ name: 'refund' });
    const { tools } = await pool.listTools();
    expect(tools.map(({ name, unavailable }) => [name, unavailable?.reason.slice(0, 50)])).toEqual([
      ['mcp__pay__prod__charge', 'its name may be that of a tool of server pay__prod'],
      ['mcp__pay__refund', undefined],
    ]);
    expect((await pool.listTools()).tools).toBe(tools);
  });

  test('runs at most maxConcurrent calls, and discovery does not wait for them', async () => {
    const pool = open({ wild: stdioServer('wild-server.mjs', 'stdio') }, { maxConcurrent: 2 });
    await pool.listTools();
    const stop = new AbortController();
    const calls = [1, 2, 3, 4].map(() =>
      errorOf(pool.callTool('mcp__wild__hang', {}, { signal: stop.signal })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.stats).toMatchObject({ active: 2, waiting: 2, max: 2 });
    expect((await pool.listTools({ limit: 1 })).tools).toHaveLength(1);
    // A waiting call that is cancelled leaves the queue.
    const leave = new AbortController();
    const leaving = errorOf(pool.callTool('mcp__wild__hang', {}, { signal: leave.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.stats.waiting).toBe(3);
    leave.abort();
    expect((await leaving).code).toBe('cancelled');
    expect(pool.stats).toMatchObject({ active: 2, waiting: 2 });
    stop.abort('any reason');
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(Array(4).fill('cancelled'));
    expect(pool.stats).toMatchObject({ active: 0, waiting: 0 });
    expect(await dataOf(pool, 'wild__hangs')).toEqual({ started: 2, cancelled: 2 });
  });

  test('ends the wait for a listing when the signal fires, and goes on connecting', async () => {
    const pool = open({ slow: scriptServer('setInterval(() => {}, 1000)') });
    const stop = new AbortController();
    const listing = errorOf(pool.listTools({ signal: stop.signal }));
    const call = errorOf(pool.callTool('mcp__slow__x', {}, { signal: stop.signal }));
    stop.abort();
    expect([(await listing).code, (await call).code]).toEqual(['cancelled', 'cancelled']);
    expect(pool.stats.servers).toMatchObject([{ name: 'slow', state: 'connecting' }]);
  });

  test('rejects everything with failed_precondition once it is closed', async () => {
    const pool = open({ kit: stdioServer('kit-server.mjs', 'stdio') });
    await pool.listTools();
    await Promise.all([pool.close(), pool.close()]);
    expect((await errorOf(pool.listTools())).code).toBe('failed_precondition');
    expect((await errorOf(pool.callTool('mcp__kit__echo', { text: 'x' }))).code).toBe('failed_precondition');
  });
});
