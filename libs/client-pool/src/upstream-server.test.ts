import { silentLogger } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';

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

describe('UpstreamServer that fails to connect', () => {
  test('names a command that does not exist, without its folder', async () => {
    expect(await failureOf({ command: '/opt/tools/no-such-command', args: ['x'] })).toBe(
      'its command no-such-command was not found',
    );
    expect(pool?.stats.servers).toMatchObject([
      { name: 'bad', state: 'failed', reason: 'its command no-such-command was not found' },
    ]);
  });

  test('names a working directory that does not exist', async () => {
    expect(await failureOf({ ...kit, cwd: '/no/such/folder' })).toBe(
      'its command node, or its working directory, was not found',
    );
  });

  test('names a file that may not be executed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-pool-'));
    const file = join(folder, 'notes.txt');
    await writeFile(file, '', { mode: 0o600 });
    expect(await failureOf({ command: file })).toBe('its command notes.txt may not be executed');
    await rm(folder, { recursive: true });
  });

  test('says how a process ended; what it printed is in the log only', async () => {
    const script = `
      console.log('stdout ' + process.argv[1]);
      for (let i = 0; i < 10_000; i++) console.error('line ' + i);
      console.error('\\x1b[31mtoken ' + process.env.API_TOKEN + ' or ' + process.env.PIN + ' refused\\x1b[0m');
      process.exitCode = 3;`;
    const logged: object[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void logged.push(fields) };
    const server = scriptServer(script);
    const env = { API_TOKEN: 'hunter2hunter2', PIN: '1234' };
    const bad = { ...server, args: [...(server.args ?? []), '--', '--password=topsecret'], env };
    expect(await failureOf(bad, { logger })).toBe(
      'it exited with code 3, and wrote a line to stdout that is no MCP message',
    );
    expect(logged[0]).toMatchObject({
      server: 'bad',
      how: 'exited with code 3',
      stdout: 'stdout --password=***',
      stderr: expect.stringMatching(/ line 9999 token \*\*\* or 1234 refused$/),
    });
  });

  test('names the package that npx was to run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-pool-'));
    const npx = join(folder, 'npx');
    await writeFile(npx, '#!/bin/sh\nexit 1\n', { mode: 0o700 });
    expect(await failureOf({ command: npx, args: ['-y', '@example/no-such-server@1.2', 'stdio'] })).toBe(
      'npx could not run the package @example/no-such-server@1.2: it exited with code 1',
    );
    await rm(folder, { recursive: true });
  });

  test('says how a process ended if its streams close later', async () => {
    // Descendants in groups of their own hold stdout a little longer, and stderr longer than the pool waits.
    const script = `
      const { spawn } = require('node:child_process');
      spawn('sleep', ['0.2'], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
      spawn('sleep', ['3'], { detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
      process.exit(3);`;
    const server = { ...scriptServer(script), env: { PATH: process.env['PATH'] ?? '' } };
    expect(await failureOf(server)).toBe('it exited with code 3');
  });

  test('says that a server writes something other than MCP', async () => {
    const garbage = scriptServer("setInterval(() => console.log('Welcome to my server!'), 20)");
    expect(await failureOf(garbage, { connectTimeoutMs: 5000 })).toMatch(
      /^it did not answer within 5 s, and wrote \d+ lines to stdout that are no MCP messages$/,
    );
  });

  test('ends a server that floods stdout without a line break', async () => {
    const script = "const x = 'x'.repeat(1 << 20); (function f() { process.stdout.write(x, f); })()";
    expect(await failureOf(scriptServer(script))).toBe('it sent a message larger than 64 MB');
  });

  test('says that an HTTP server does not run, or does not speak MCP', async () => {
    expect(await failureOf({ url: 'http://127.0.0.1:1/mcp' })).toBe('it cannot be reached (bad port)');
    await pool?.close();
    expect(await failureOf({ url: 'http://127.0.0.1:9999/mcp' })).toBe('it cannot be reached (ECONNREFUSED)');
    await pool?.close();
  });

  const toLogin = 'it wants a login (HTTP 401)';
  const noPage = 'there is nothing at its url (HTTP 404)';
  test.each([
    [401, 'text/plain', toLogin, 'headers of bad'],
    [403, 'text/plain', 'it refuses access (HTTP 403)', 'what their token permits'],
    [404, 'text/html', noPage, 'Correct the url of bad'],
    [405, 'text/html', 'it does not speak MCP there (HTTP 405)', 'the url of bad'],
    [500, 'application/json', 'it failed (HTTP 500)', 'See to the server'],
    [
      200,
      'text/html; charset=utf-8',
      'its url answers with a web page, not with MCP',
      'Correct the url of bad',
    ],
    [200, 'text/hunter2', 'its url answers with something else, not with MCP', 'Correct the url of bad'],
    [200, 'application/json', 'it failed to start a session', 'the url of bad'],
  ] as const)('says what an answer of HTTP %i as %s means', async (status, mediaType, reason, fix) => {
    const web = createHttpServer((request, response) => {
      const isPost = request.method === 'POST';
      response
        .writeHead(isPost ? status : 405, { 'content-type': mediaType })
        .end('<h1>the password is hunter2hunter2</h1>');
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    const { port } = web.address() as { port: number };
    expect(await failureOf({ url: `http://127.0.0.1:${port}/` })).toBe(reason);
    const { failedServers } = (await pool?.listTools()) ?? { failedServers: [] };
    expect(failedServers[0]?.fix).toContain(fix);
    expect(JSON.stringify(failedServers)).not.toContain('hunter2');
    web.closeAllConnections();
    web.close();
  });

  test('says that a url with a password cannot be used, without showing it', async () => {
    expect(await failureOf({ url: 'http://me:hunter2hunter2@127.0.0.1:9/' })).toBe(
      'its url holds a user name or password, which is not sent',
    );
  });

  test('gives up a server that accepts connections and says nothing', async () => {
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    for (const type of ['http', 'sse'] as const) {
      const server = { type, url: `http://127.0.0.1:${port}/` };
      expect(await failureOf(server, { connectTimeoutMs: 300 })).toBe('it did not answer within 0.3 s');
      await pool?.close();
    }
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});

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
