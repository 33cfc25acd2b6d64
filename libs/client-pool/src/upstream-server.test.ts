import { silentLogger } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClientPool } from './client-pool.js';
import {
  dataOf,
  errorOf,
  isRunning,
  patient,
  scriptServer,
  stdioServer,
  until,
} from './fixture-servers.test.support.js';
import type { UpstreamServer } from './options.js';

const kit = stdioServer('kit-server.mjs', 'stdio');
const wild = stdioServer('wild-server.mjs', 'stdio');
const silent = scriptServer('setInterval(() => {}, 1000)');

let pool: ClientPool | undefined;
const open = (servers: Record<string, UpstreamServer>, options = {}) => {
  pool = new ClientPool({ ...patient, servers, ...options });
  return pool;
};
afterEach(() => pool?.close());

/** What a pool with this one server says about it. */
const failureOf = async (server: UpstreamServer, options = {}) => {
  const { tools, failedServers } = await open({ bad: server }, options).listTools();
  expect(tools).toEqual([]);
  expect(failedServers).toHaveLength(1);
  expect(failedServers[0]).toMatchObject({ server: 'bad', fix: expect.stringContaining('bad') });
  return failedServers[0]?.reason;
};

describe('UpstreamServer', () => {
  test('does not let a slow or a dead server hide or delay the others beyond connectTimeoutMs', async () => {
    const pool = open(
      { silent, dead: { command: '/no/such/command' }, kit, gone: { url: 'http://127.0.0.1:1/' } },
      { connectTimeoutMs: 10_000 },
    );
    // A call needs its own server only.
    expect(await dataOf(pool, 'kit__echo', { text: 'x' })).toEqual({ text: 'x' });
    expect(pool.stats.servers[0]).toMatchObject({ name: 'silent', state: 'idle' });
    const first = pool.listTools();
    const second = pool.listTools();
    expect(pool.stats.servers[0]).toMatchObject({ name: 'silent', state: 'connecting' });
    const { tools, failedServers } = await first;
    expect(tools.map(({ name }) => name)).toEqual(['mcp__kit__echo', 'mcp__kit__fail']);
    expect(failedServers.map(({ server }) => server)).toEqual(['silent', 'dead', 'gone']);
    expect(await second).toEqual({ tools, failedServers });
  });

  test('is started once, however many ask for it at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-pool-'));
    const starts = join(folder, 'starts');
    const script = `
      require('node:fs').appendFileSync(${JSON.stringify(starts)}, 'started ');
      import(${JSON.stringify(kit.args?.[0])});`;
    const pool = open({ kit: { command: process.execPath, args: ['-e', script, '--', 'file', 'stdio'] } });
    const [listing, echoed] = await Promise.all([
      pool.listTools(),
      dataOf(pool, 'kit__echo', { text: 'x' }),
      pool.listTools({ name: 'mcp__kit__echo' }),
    ]);
    expect([listing.tools.length, echoed]).toEqual([2, { text: 'x' }]);
    expect(await readFile(starts, 'utf8')).toBe('started ');
    await rm(folder, { recursive: true });
  });

  test('remembers a failure for a cool-down, says how long that is, and tries again after it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-pool-'));
    // The first start of this server fails, the second works.
    const marker = join(folder, 'started');
    const script = `
      const fs = require('node:fs');
      if (fs.existsSync(${JSON.stringify(marker)})) import(${JSON.stringify(kit.args?.[0])});
      else { fs.writeFileSync(${JSON.stringify(marker)}, ''); process.exit(1); }`;
    const pool = open({ kit: { command: process.execPath, args: ['-e', script, '--', 'file', 'stdio'] } });
    expect((await pool.listTools()).failedServers).toHaveLength(1);
    expect((await pool.listTools()).failedServers).toHaveLength(1);
    const error = await errorOf(pool.callTool('mcp__kit__echo', { text: 'x' }));
    expect(error).toMatchObject({ code: 'unavailable', server: 'kit', tool: 'mcp__kit__echo' });
    expect(error.message).toContain('it exited with code 1');
    expect(error.message).toContain('check command, args and env of kit in your configuration');
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(error.retryAfterMs).toBeLessThanOrEqual(2000);
    // A timer may fire up to 1 ms early.
    await new Promise((resolve) => setTimeout(resolve, (error.retryAfterMs ?? 0) + 10));
    expect(await dataOf(pool, 'kit__echo', { text: 'back' })).toEqual({ text: 'back' });
    expect((await pool.listTools()).failedServers).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test('rejects the calls under way when the server crashes, and reconnects with the next', async () => {
    const pool = open({ wild, kit });
    const { pid } = await dataOf(pool, 'wild__pid');
    const hanging = errorOf(pool.callTool('mcp__wild__hang', {}));
    const crash = await errorOf(pool.callTool('mcp__wild__crash', {}));
    expect(crash).toMatchObject({ code: 'unavailable', server: 'wild', tool: 'mcp__wild__crash' });
    expect(crash.message).toBe(
      'Server wild exited with code 3 during the call; the log of Code Executor has what it said. ' +
        'Call again to reconnect.',
    );
    expect(crash.retryAfterMs).toBeGreaterThan(0);
    expect(await hanging).toMatchObject({ code: 'unavailable', tool: 'mcp__wild__hang' });
    expect(pool.stats.servers[0]).toMatchObject({ name: 'wild', state: 'idle' });
    const again = await dataOf(pool, 'wild__pid');
    expect(again['pid']).not.toBe(pid);
    expect(await dataOf(pool, 'kit__echo', { text: 'unharmed' })).toEqual({ text: 'unharmed' });
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('notices a server ended by %s from outside', async (signal) => {
    const pool = open({ wild });
    const { pid } = await dataOf(pool, 'wild__pid');
    const hanging = errorOf(pool.callTool('mcp__wild__hang', {}));
    process.kill(pid as number, signal);
    expect((await hanging).message).toContain(`Server wild was ended by ${signal} during the call`);
    expect((await dataOf(pool, 'wild__pid'))['pid']).not.toBe(pid);
  });

  test('gives up a server that closes its output but keeps running', async () => {
    const pool = open({ wild });
    const { pid } = await dataOf(pool, 'wild__pid');
    const error = await errorOf(pool.callTool('mcp__wild__close_output', {}));
    expect(error.message).toContain('Server wild closed its output during the call');
    await pool.close();
    expect(await isRunning(pid as number)).toBe(false);
  });

  test('cancels the calls under way at close()', async () => {
    const pool = open({ wild });
    await pool.listTools();
    const hanging = errorOf(pool.callTool('mcp__wild__hang', {}));
    await new Promise((resolve) => setImmediate(resolve));
    await pool.close();
    expect(await hanging).toMatchObject({ code: 'cancelled', server: 'wild', tool: 'mcp__wild__hang' });
  });

  test('ends a server and its stubborn descendants at close()', async () => {
    const pool = open({ wild });
    const { pid, descendant } = (await dataOf(pool, 'wild__descendant')) as Record<string, number>;
    expect([await isRunning(pid ?? 0), await isRunning(descendant ?? 0)]).toEqual([true, true]);
    await pool.close();
    expect(await isRunning(pid ?? 0)).toBe(false);
    await until(async () => !(await isRunning(descendant ?? 0)));
  });

  test('ends an attempt that hangs, with its descendants, after its time limit and at close()', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      process.on('SIGTERM', () => {});
      const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
      console.error(process.pid + ' ' + child.pid);
      setInterval(() => {}, 1000);`;
    let stderr = '';
    const warn = (fields: object) => (stderr += 'stderr' in fields ? String(fields.stderr) : '');
    await failureOf(scriptServer(script), {
      connectTimeoutMs: 5000,
      logger: { ...silentLogger, warn },
    });
    const pids = stderr.split(' ').map(Number);
    expect(pids).toEqual([expect.any(Number), expect.any(Number)]);
    await until(async () => !(await isRunning(pids[0] ?? 0)) && !(await isRunning(pids[1] ?? 0)));
    const hanging = open({ silent }).listTools();
    await pool?.close();
    expect((await hanging).failedServers).toEqual([
      { server: 'silent', reason: 'the client pool is closed', fix: 'Create a new one to call tools.' },
    ]);
  });

  test('passes on the listed environment and nothing else', async () => {
    process.env['CLIENT_POOL_CANARY'] = 'sings';
    const pool = open(
      { wild: { ...wild, env: { OWN: 'a', SHARED: 'own' } } },
      { baseEnv: { PATH: '/bin', SHARED: 'base' } },
    );
    const environment = await dataOf(pool, 'wild__environment');
    delete process.env['CLIENT_POOL_CANARY'];
    expect(environment).toEqual({ PATH: '/bin', SHARED: 'own', OWN: 'a' });
  });

  test('logs what went wrong, and the last words of a child', async () => {
    const records: [level: string, message: string, fields: object][] = [];
    const log = (level: string) => (fields: object, message: string) =>
      records.push([level, message, fields]);
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    const raw = stdioServer('raw-server.mjs', 'uncompilable');
    const pool = open({ wild, raw, dead: { command: '/no/such/command' } }, { logger });
    await pool.listTools();
    await errorOf(pool.callTool('mcp__wild__crash', {}));
    const fieldsOf = (level: string, message: string) =>
      records.filter((record) => record[0] === level && record[1] === message).map((record) => record[2]);
    expect(fieldsOf('info', 'upstream server connected')).toHaveLength(2);
    expect(fieldsOf('warn', 'tools without a usable or unique name and schema were left out')).toEqual([
      { server: 'raw', skipped: 5, names: ['good', '(no name)', 'no_schema', '(no name)', '(no name)'] },
    ]);
    expect(fieldsOf('warn', 'upstream server failed')).toEqual([
      { server: 'dead', reason: 'its command command was not found', coolDownMs: 2000 },
    ]);
    expect(fieldsOf('warn', 'upstream connection lost')).toEqual([
      { server: 'wild', loss: { code: 'unavailable', how: 'exited with code 3' } },
    ]);
    expect(fieldsOf('warn', 'the last words of an upstream server')).toContainEqual({
      server: 'wild',
      how: 'exited with code 3',
      stderr: 'first line at /secret/folder/app.js:10 out of luck',
    });
  });
});
