import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AuditEvent, CodeExecutorError } from '@code-executor/contracts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClientPool } from './client-pool.js';
import { errorOf, patient, stdioServer, until } from './fixture-servers.test.support.js';

let pool: ClientPool | undefined;
let folder = '';
let events: AuditEvent[] = [];
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
/** Runs a call that holds its place until it is cancelled by what this gives. */
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
          'Tool mcp__moody__sleep was not called, for 100 calls run and 200 wait for their turn; try again later.',
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
    // A refused call is no failure of the server.
    expect(pool.stats.servers[0]?.circuitFailures).toBe(0);
  });

  test('refuses a call whose turn does not come in time', async () => {
    const pool = await open({ maxConcurrent: 1, queueTimeoutMs: 50 });
    const release = await occupy(1);
    const second = await errorOf(sleep({ ms: 0, id: 2 }));
    expect(second).toMatchObject({
      code: 'unavailable',
      message:
        'Tool mcp__moody__sleep was not called, for its turn did not come within 0.05 s; try again later.',
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

  test('lets a cancelled call leave at once, and its place be taken', async () => {
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

  test('never makes a listing wait, and allows no waiting at all', async () => {
    const pool = await open({ maxConcurrent: 1, maxQueued: 0 });
    const release = await occupy();
    expect((await errorOf(sleep({ ms: 0 }))).retryAfterMs).toBe(60_000);
    expect((await pool.listTools({ refresh: true })).tools).toHaveLength(5);
    expect(pool.stats.active).toBe(1);
    await release();
  });
});
