import { afterEach, expect, jest, test } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import { dataOf, errorOf, stdioServer } from '../fixture-servers.test.support.js';
import { RestartPace } from './restart-pace.js';

const slackMs = 50;
let pool: ClientPool | undefined;
afterEach(async () => {
  jest.useRealTimers();
  await pool?.close();
  pool = undefined;
});

test('a server that goes away soon after each start is started twice at once, and then after longer and longer pauses', async () => {
  const pauses: unknown[] = [];
  const debug = (fields: { pauseMs?: number }) => fields.pauseMs !== undefined && pauses.push(fields.pauseMs);
  const logger = { debug, info() {}, warn() {}, error() {} };
  const servers = { wild: stdioServer('wild-server.mjs', 'stdio') };
  pool = new ClientPool({ servers, logger });
  await pool.listTools();
  for (const leastMs of [0, 0, 250, 500, 1000]) {
    await errorOf(pool.callTool('mcp__wild__crash', {}));
    const lostAt = performance.now();
    const { pid } = await dataOf(pool, 'wild__pid');
    expect(pid).toEqual(expect.any(Number));
    expect(performance.now() - lostAt).toBeGreaterThan(leastMs - slackMs);
  }
  expect(pauses).toHaveLength(3);
});

test('calls that wait for the next start hold no place', async () => {
  const servers = {
    wild: stdioServer('wild-server.mjs', 'stdio'),
    kit: stdioServer('kit-server.mjs', 'stdio'),
  };
  pool = new ClientPool({ servers, maxConcurrent: 1, failureThreshold: 100 });
  await pool.listTools();
  for (let round = 0; round < 5; round++) await errorOf(pool.callTool('mcp__wild__crash', {}));
  const answered: string[] = [];
  await Promise.all([
    dataOf(pool, 'wild__pid').then(() => answered.push('wild')),
    dataOf(pool, 'kit__echo', { text: 'x' }).then(() => answered.push('kit')),
  ]);
  expect(answered).toEqual(['kit', 'wild']);
});

test('the wait for the next start ends with the pool', async () => {
  pool = new ClientPool({ servers: { wild: stdioServer('wild-server.mjs', 'stdio') } });
  await pool.listTools();
  for (let round = 0; round < 4; round++) await errorOf(pool.callTool('mcp__wild__crash', {}));
  const waiting = errorOf(pool.callTool('mcp__wild__pid', {}));
  await pool.close();
  expect((await waiting).message).toContain('the client pool is closed');
});

test('the pause doubles up to two seconds, and begins anew after a server stayed connected for ten', () => {
  jest.useFakeTimers();
  const pace = new RestartPace();
  const lose = (afterMs: number) => {
    pace.connected();
    jest.advanceTimersByTime(afterMs);
    pace.lost();
    return pace.pauseMs;
  };
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => lose(9999))).toEqual([0, 0, 250, 500, 1000, 2000, 2000, 2000]);
  jest.advanceTimersByTime(1999);
  expect(pace.pauseMs).toBe(1);
  jest.advanceTimersByTime(1);
  expect(pace.pauseMs).toBe(0);
  expect([10_000, 1, 1, 1].map(lose)).toEqual([0, 0, 0, 250]);
});
