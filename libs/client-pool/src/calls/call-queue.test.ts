import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AuditRecord, CodeExecutorError } from '@code-executor/contracts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClientPool } from '../client-pool.js';
import { errorOf, patient, stdioServer, until } from '../fixture-servers.test.support.js';

let pool: ClientPool | undefined;
let folder = '';
let events: AuditRecord[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'call-queue-'));
  events = [];
});
afterEach(async () => {
  await pool?.close();
  await rm(folder, { recursive: true });
});

/** A pool whose server is connected already. */
const open = async (options = {}) => {
  const servers = { moody: stdioServer('moody-server.mjs', join(folder, 'calls')) };
  pool = new ClientPool({ ...patient, servers, audit: (event) => void events.push(event), ...options });
  await pool.listTools();
  return pool;
};
const sleep = (args: { ms: number; id?: number }, options = {}) =>
  (pool as ClientPool).callTool('mcp__moody__sleep', args, options);
/** Runs a call that holds its place until the returned function cancels it. */
const occupy = async (id = 0) => {
  const stop = new AbortController();
  const call = errorOf(sleep({ ms: 60_000, id }, { signal: stop.signal }));
  await until(() => pool?.stats.active === 1);
  return async () => {
    stop.abort();
    expect((await call).code).toBe('cancelled');
  };
};
/** The calls in the order in which the server got them. */
const received = async () =>
  (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().replaceAll('sleep', '').split('\n').map(Number);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const stats = (active: number, waiting: number) => ({ active, waiting });

describe('CallQueue', () => {
  test('refuses exactly the calls beyond its limits, and serves the others in their order', async () => {
    const pool = await open();
    const outcomes = await Promise.allSettled(numbers(400).map((id) => sleep({ ms: 100, id })));
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [CodeExecutorError.from(outcome.reason)] : [],
    );
    expect(outcomes.slice(0, 300).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(refused).toHaveLength(100);
    for (const error of refused) {
      expect(error).toMatchObject({
        code: 'unavailable',
        message:
          'Tool mcp__moody__sleep was not called because the queue is full (100 calls running, 200 waiting); try again later.',
        tool: 'mcp__moody__sleep',
        server: 'moody',
        retryAfterMs: 60_000,
      });
    }
    expect(await received()).toEqual(numbers(300));
    expect(pool.stats).toMatchObject({ ...stats(0, 0), max: 100 });
    const full = { type: 'queue', action: 'full', status: 'rejected', server: 'moody' };
    expect(events).toHaveLength(100);
    expect(events[0]).toMatchObject({ ...full, toolName: 'mcp__moody__sleep' });
    // A refused call does not count as a failure of the server.
    expect(pool.stats.servers[0]?.circuitFailures).toBe(0);
  });

  test('refuses a call whose turn does not come in time', async () => {
    const pool = await open({ maxConcurrent: 1, queueTimeoutMs: 50 });
    const release = await occupy(1);
    const second = await errorOf(sleep({ ms: 0, id: 2 }));
    expect(second).toMatchObject({
      code: 'unavailable',
      message:
        'Tool mcp__moody__sleep was not called because its turn did not come within 0.05 s; try again later.',
      tool: 'mcp__moody__sleep',
      server: 'moody',
      retryAfterMs: 30_000,
    });
    expect(pool.stats).toMatchObject(stats(1, 0));
    await release();
    await sleep({ ms: 100, id: 3 }); // longer than the limit of a wait, which is over
    expect(await received()).toEqual([1, 3]);
    expect(events).toEqual([
      expect.objectContaining({
        type: 'queue',
        action: 'timed_out',
        server: 'moody',
        queuedMs: expect.any(Number),
      }),
    ]);
  });

  test('removes a cancelled call at once, and gives its place to another', async () => {
    const pool = await open({ maxConcurrent: 1, maxQueued: 1 });
    const release = await occupy(1);
    const stop = new AbortController();
    const second = errorOf(sleep({ ms: 0, id: 2 }, { signal: stop.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.stats).toMatchObject(stats(1, 1));
    stop.abort();
    expect((await second).code).toBe('cancelled');
    expect(pool.stats).toMatchObject(stats(1, 0));
    const third = sleep({ ms: 0, id: 3 });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await errorOf(sleep({ ms: 0, id: 4 }))).retryAfterMs).toBe(60_000);
    await release();
    await third;
    expect(await received()).toEqual([1, 3]);
  });

  test('frees the place of a running call that is cancelled', async () => {
    await open({ maxConcurrent: 1 });
    const release = await occupy(1);
    const second = sleep({ ms: 0, id: 2 });
    await new Promise((resolve) => setImmediate(resolve));
    await release();
    await second;
  });

  test('never makes a listing wait, and refuses calls that would wait if maxQueued is 0', async () => {
    const pool = await open({ maxConcurrent: 1, maxQueued: 0 });
    const release = await occupy();
    expect((await errorOf(sleep({ ms: 0 }))).retryAfterMs).toBe(60_000);
    expect((await pool.listTools({ refresh: true })).tools).toHaveLength(5);
    expect(pool.stats.active).toBe(1);
    await release();
  });
});

describe('CallQueue among several servers and executions', () => {
  const slow = (server: string, executionId?: string) => {
    const stop = new AbortController();
    const options = { signal: stop.signal, ...(executionId !== undefined && { executionId }) };
    const outcome = (pool as ClientPool).callTool(`mcp__${server}__sleep`, { ms: 60_000 }, options).then(
      () => 'done',
      (error: unknown) => CodeExecutorError.from(error).message,
    );
    return { outcome, stop: () => stop.abort() };
  };
  const quick = (server: string, executionId?: string) =>
    (pool as ClientPool).callTool(
      `mcp__${server}__sleep`,
      { ms: 0 },
      executionId === undefined ? {} : { executionId },
    );
  const openTwo = (options: object) =>
    open({
      servers: {
        moody: stdioServer('moody-server.mjs', join(folder, 'calls')),
        other: stdioServer('moody-server.mjs', join(folder, 'others')),
      },
      ...options,
    });
  /** Makes this many calls at once; `told` has their errors until they are stopped. */
  const flood = async (count: number, server: string, executionOf: (i: number) => string | undefined) => {
    const before = pool?.stats ?? { active: 0, waiting: 0 };
    const calls = numbers(count).map((i) => slow(server, executionOf(i)));
    const told: string[] = [];
    for (const { outcome } of calls) void outcome.then((message) => told.push(message));
    const settled = () => (pool?.stats.active ?? 0) + (pool?.stats.waiting ?? 0) + told.length;
    await until(() => settled() === before.active + before.waiting + count);
    return { told, stop: () => calls.forEach((call) => call.stop()) };
  };

  test('ten slow calls of one program keep no other program out, at this server or another', async () => {
    const pool = await openTwo({ maxConcurrent: 10, maxQueued: 10, queueTimeoutMs: 60_000 });
    const { stop } = await flood(10, 'moody', () => 'slow');
    expect(pool.stats).toMatchObject(stats(3, 7));
    await quick('moody', 'quick');
    await quick('other', 'quick');
    // Its own calls to another server wait with the others.
    const own = quick('other', 'slow');
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.stats).toMatchObject(stats(3, 8));
    stop();
    await own;
  });

  test('slow calls of many programs to one server leave places for the other servers', async () => {
    const pool = await openTwo({ maxConcurrent: 8, maxQueued: 8, queueTimeoutMs: 60_000 });
    const { told, stop } = await flood(20, 'moody', (i) => `exec_${i}`);
    // A quarter of all places is kept for the other server, because half of them are kept for two servers.
    expect(pool.stats).toMatchObject(stats(6, 8));
    expect(told).toEqual(
      Array(6).fill(
        'Tool mcp__moody__sleep was not called because the queue is full (6 calls running, 8 waiting); try again later.',
      ),
    );
    await Promise.all([quick('other', 'quick'), quick('other', 'quick')]);
    expect(pool.stats).toMatchObject(stats(6, 8));
    stop();
  });

  test('gives all places away if all servers have calls', async () => {
    const pool = await openTwo({ maxConcurrent: 8, maxQueued: 8 });
    const floods = [await flood(4, 'moody', () => undefined), await flood(4, 'other', () => undefined)];
    expect(pool.stats).toMatchObject(stats(8, 0));
    floods.forEach(({ stop }) => stop());
  });

  test('a full queue refuses the newest call of the execution that waits with the most', async () => {
    const pool = await openTwo({ maxConcurrent: 4, maxQueued: 4, queueTimeoutMs: 60_000 });
    const one = await flood(5, 'moody', () => 'greedy');
    const another = await flood(2, 'moody', () => undefined);
    expect(pool.stats).toMatchObject(stats(3, 4));
    expect(one.told).toEqual([]);
    events.length = 0;
    const modest = slow('moody', 'modest');
    await until(() => events.length === 1);
    expect(one.told).toEqual([expect.stringContaining('3 calls running, 4 waiting')]);
    expect(events).toEqual([
      expect.objectContaining({ action: 'full', executionId: 'greedy', queuedMs: expect.any(Number) }),
    ]);
    for (const each of [one, another, modest]) each.stop();
  });

  test('a free place goes to the execution that has the fewest, and there to its first call', async () => {
    await openTwo({ maxConcurrent: 6, maxQueued: 20, queueTimeoutMs: 60_000 });
    const blocking = [await flood(4, 'moody', () => undefined), await flood(2, 'other', () => undefined)];
    const call = (id: number, executionId: string) => sleep({ ms: 100, id }, { executionId });
    const calls = [1, 2, 3].map((id) => call(id, 'many')).concat([call(4, 'few'), call(5, 'fewer')]);
    await until(() => pool?.stats.waiting === 5);
    blocking[0]?.stop();
    await Promise.all(calls);
    const order = (await received()).filter((id) => id > 0);
    expect(order.indexOf(4)).toBeLessThan(order.indexOf(2));
    expect(order.indexOf(5)).toBeLessThan(order.indexOf(2));
    expect(order.filter((id) => id <= 3)).toEqual([1, 2, 3]);
    blocking[1]?.stop();
  });
});
