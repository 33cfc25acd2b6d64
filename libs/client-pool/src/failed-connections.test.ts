import { silentLogger } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';

import { ClientPool } from './client-pool.js';
import { patient, scriptServer, stdioServer } from './fixture-servers.test.support.js';
import type { UpstreamServer } from './options.js';

const kit = stdioServer('kit-server.mjs', 'stdio');

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
