import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import { explainStart } from './explain-start.js';
import {
  dataOf,
  errorOf,
  isRunning,
  scriptServer,
  stdioServer,
  until,
} from '../fixture-servers.test.support.js';
import type { UpstreamServer } from '../options.js';

const kit = stdioServer('kit-server.mjs', 'stdio');
const silent = scriptServer('setInterval(() => {}, 1000)');

let folder: string;
let pool: ClientPool | undefined;
const open = (servers: Record<string, UpstreamServer>, options = {}) => {
  pool = new ClientPool({ servers, ...options });
  return pool;
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-pool-'));
});
afterEach(async () => {
  await pool?.close();
  await rm(folder, { recursive: true });
});

/** A server that records its starts, and becomes the kit server once the gate file exists. */
const gated = () => {
  const starts = join(folder, 'starts');
  const gate = join(folder, 'gate');
  const script = `
    const fs = require('node:fs');
    fs.appendFileSync(${JSON.stringify(starts)}, process.pid + ' ');
    const timer = setInterval(() => {
      if (!fs.existsSync(${JSON.stringify(gate)})) return;
      clearInterval(timer);
      import(${JSON.stringify(kit.args?.[0])});
    }, 10);`;
  return {
    server: { command: process.execPath, args: ['-e', script, '--', 'file', 'stdio'] },
    open: () => writeFile(gate, ''),
    pids: async () => (await readFile(starts, 'utf8')).trim().split(' ').map(Number),
  };
};

describe('a server that is slow to start', () => {
  test('does not hold up a listing, which names it, and is started once', async () => {
    const slow = gated();
    const pool = open({ slow: slow.server });
    const [first, second] = await Promise.all([pool.listTools(), pool.listTools({ refresh: true })]);
    const isStarting = {
      server: 'slow',
      reason: expect.stringMatching(/^it is still starting \(\d+\.\d s so far\)$/),
      fix: 'Search again later; a call to its tools waits for it.',
      isStarting: true,
    };
    expect([first, second]).toEqual(Array(2).fill({ tools: [], failedServers: [isStarting] }));
    expect(pool.stats.servers).toMatchObject([
      { state: 'connecting', reason: expect.stringContaining('it is still starting') },
    ]);
    await slow.open();
    await until(async () => (await pool.listTools()).failedServers.length === 0);
    expect((await pool.listTools()).tools).toHaveLength(2);
    expect(await slow.pids()).toHaveLength(1);
  });

  test('is waited for by a call to its tools, and by a listing with untilReady', async () => {
    const slow = gated();
    const pool = open({ slow: slow.server, kit });
    const call = dataOf(pool, 'slow__echo', { text: 'late' });
    const lookUp = pool.listTools({ name: 'mcp__slow__echo', untilReady: true });
    expect((await pool.listTools({ server: 'slow' })).failedServers).toMatchObject([{ isStarting: true }]);
    // It has no place that others could have.
    expect(pool.stats.active).toBe(0);
    await slow.open();
    expect(await call).toEqual({ text: 'late' });
    expect((await lookUp).tools).toHaveLength(1);
    expect(await slow.pids()).toHaveLength(1);
  });

  test('goes on starting when the call that waits for it is cancelled', async () => {
    const slow = gated();
    const pool = open({ slow: slow.server });
    const stop = new AbortController();
    const call = errorOf(pool.callTool('mcp__slow__echo', { text: 'x' }, { signal: stop.signal }));
    await until(() => pool.stats.servers[0]?.state === 'connecting');
    stop.abort();
    expect((await call).code).toBe('cancelled');
    await slow.open();
    expect(await dataOf(pool, 'slow__echo', { text: 'x' })).toEqual({ text: 'x' });
    const [pid = 0, ...others] = await slow.pids();
    expect([await isRunning(pid), others]).toEqual([true, []]);
  });

  test('delays listings for discoveryTimeoutMs once, and not again', async () => {
    const pool = open({ silent });
    await pool.listTools();
    const moment = new Promise((resolve) => setTimeout(resolve, 400, 'later'));
    const listing = pool.listTools().then(() => 'at once');
    expect(await Promise.race([listing, moment])).toBe('at once');
  });

  test('is given up after its own time limit, and the error names the key to raise', async () => {
    const pool = open({ silent: { ...silent, connectTimeoutMs: 300 } });
    const { failedServers } = await pool.listTools({ untilReady: true });
    expect(failedServers).toEqual([
      {
        server: 'silent',
        reason: 'it did not answer within 0.3 s',
        fix: expect.stringMatching(
          /^If it needs longer, raise connectTimeoutMs of silent or pool.connectTimeoutMs in your configuration\. Run its command by hand/,
        ),
        retryAfterMs: expect.any(Number),
      },
    ]);
    expect(failedServers[0]?.retryAfterMs).toBeGreaterThan(1000);
    expect(failedServers[0]?.retryAfterMs).toBeLessThanOrEqual(2000);
  });
});

test.each([
  [900, { command: 'x' }, 'it is still starting (0.9 s so far)', ''],
  [
    12_345,
    { command: '/usr/bin/npx', args: ['-y', '@example/server'] },
    'it is still starting (12 s so far; npx may have to fetch @example/server first)',
    '',
  ],
  [
    31_000,
    { url: 'http://x/' },
    'it is still starting (31 s so far; or it hangs)',
    ' It has 120 s (connectTimeoutMs of a, or pool.connectTimeoutMs).',
  ],
])('says after %i ms of starting %j that %s', (startingForMs, server, reason, limit) => {
  const failure = explainStart({ name: 'a', server, startingForMs, connectTimeoutMs: 120_000 });
  expect(failure.message).toBe(reason);
  expect(failure.fix).toBe(`Search again later; a call to its tools waits for it.${limit}`);
});
