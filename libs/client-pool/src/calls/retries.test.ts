import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClientPool } from '../client-pool.js';
import { dataOf, errorOf, patient, stdioServer } from '../fixture-servers.test.support.js';
import { type RetryOptions, withRetries } from './retries.js';

let pool: ClientPool | undefined;
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retries-'));
});
afterEach(async () => {
  await pool?.close();
  await rm(folder, { recursive: true });
});

/** A server that dies at its first calls. */
const open = (failures: number, options = {}) => {
  pool = new ClientPool({
    ...patient,
    servers: { moody: stdioServer('moody-server.mjs', join(folder, 'calls'), String(failures)) },
    ...options,
  });
  return pool;
};
const received = async () => (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n');

describe('retries', () => {
  test.each(['read', 'put'])('repeat a lost call at most twice: %s', async (tool) => {
    const pool = open(2);
    expect(await dataOf(pool, `moody__${tool}`)).toMatchObject({ calls: 3 });
    expect(pool.stats.servers[0]).toMatchObject({ circuit: 'closed', failuresInRow: 0, circuitFailures: 2 });
  });

  test('end with the error of the third attempt', async () => {
    const pool = open(9);
    const error = await errorOf(pool.callTool('mcp__moody__read', {}));
    expect(error).toMatchObject({ code: 'unavailable', tool: 'mcp__moody__read', server: 'moody' });
    expect(error.message).toContain('exited with code 1 during the call');
    expect(await received()).toEqual(['read', 'read', 'read']);
    expect(pool.stats.servers[0]?.circuitFailures).toBe(3);
  });

  test('connect again at once although an attempt has just failed', async () => {
    const starts = JSON.stringify(join(folder, 'starts'));
    const { args = [], command } = stdioServer('moody-server.mjs', join(folder, 'calls'), '1');
    // The first process dies at its first call, the second does not start, the third works.
    const script = `
      const fs = require('node:fs');
      fs.appendFileSync(${starts}, 'x');
      if (fs.readFileSync(${starts}, 'utf8') === 'xx') process.exit(1);
      import(${JSON.stringify(args[0])});`;
    pool = new ClientPool({
      ...patient,
      servers: { moody: { command, args: ['-e', script, '--', ...args] } },
    });
    expect(await dataOf(pool, 'moody__read')).toMatchObject({ calls: 2 });
    expect(pool.stats.servers[0]).toMatchObject({ state: 'connected', circuitFailures: 2 });
  });

  test('are not made if the tool does not say that a repetition does no harm', async () => {
    const pool = open(1);
    expect((await errorOf(pool.callTool('mcp__moody__write', {}))).code).toBe('unavailable');
    expect(await received()).toEqual(['write']);
  });

  test('are not made after an error of the tool or a timeout', async () => {
    const pool = open(0, { callTimeoutMs: 2000 });
    expect((await pool.callTool('mcp__moody__wrong', {})).isError).toBe(true);
    const late = await errorOf(pool.callTool('mcp__moody__sleep', { ms: 60_000 }));
    expect(late.code).toBe('deadline_exceeded');
    expect(await received()).toEqual(['wrong', 'sleep']);
  });

  test('are not made against an open circuit', async () => {
    const pool = open(9, { failureThreshold: 2 });
    const error = await errorOf(pool.callTool('mcp__moody__read', {}));
    expect(error.message).toContain('exited with code 1 during the call');
    expect(await received()).toEqual(['read', 'read']);
    expect(pool.stats.servers[0]?.circuit).toBe('open');
  });
});

describe('withRetries', () => {
  /** The attempts at work that always fails, each with whether it is a retry, and how it ended. */
  const failing = async (options: Partial<RetryOptions>) => {
    const attempts: boolean[] = [];
    const attempt = (_timeLeftMs: number, isRetry: boolean) => {
      attempts.push(isRetry);
      return Promise.reject(new Error('lost'));
    };
    const all = { mayRetry: () => true, timeoutMs: 60_000, signal: undefined, ...options };
    const error = await withRetries(attempt, all).catch((reason: unknown) => reason as Error);
    return { attempts, error: error.name === 'Error' ? error.message : error.name };
  };

  test('tries three times at most', async () => {
    expect(await failing({})).toEqual({ attempts: [false, true, true], error: 'lost' });
  });

  test('does not try again when its time is over', async () => {
    expect(await failing({ timeoutMs: 0 })).toEqual({ attempts: [false], error: 'lost' });
  });

  test('does not try again when the caller has cancelled', async () => {
    expect(await failing({ signal: AbortSignal.abort() })).toEqual({
      attempts: [false],
      error: 'AbortError',
    });
  });
});
