import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePort } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { bin } from '../server-under-test/bin.js';
import { createHome, environmentOf, removeHome } from '../server-under-test/home.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { denial, echo, echoed, everything, startHttp, sum } from './http-servers.js';

const gone = { code: 'ENOENT' };

test('serves what the policy allows to clients with the token in the home, until it gets a signal', async () => {
  const home = await createHome();
  // A link that is already there must be replaced, not followed.
  await mkdir(join(home, '.code-executor'), { mode: 0o700 });
  await writeFile(join(home, 'canary'), 'canary');
  await symlink(join(home, 'canary'), join(home, '.code-executor', 'http-token'));
  const server = await startHttp(
    {
      mcpServers: everything,
      policy: { defaultAllowedTools: [echo[0], sum[0]], ceiling: ['mcp__*__echo'] },
      security: { rateLimit: { maxRequests: 4 } },
    },
    { home },
  );
  expect(server.stderr()).toContain(`listening on ${server.url}, token in ${server.tokenFile}`);
  const file = await lstat(server.tokenFile);
  expect([file.isFile(), file.mode & 0o777]).toEqual([true, 0o600]);
  expect(await readFile(join(home, 'canary'), 'utf8')).toBe('canary');
  const token = await server.token();
  expect(server.stderr()).not.toContain(token);

  expect((await server.list(undefined)).status).toBe(401);
  expect(await server.call(token, ...echo)).toEqual(echoed);
  expect(await server.call(token, echo[0])).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_argument' } },
  });
  expect(await server.call(token, ...sum)).toMatchObject(denial('(policy.ceiling)'));
  expect(await server.list(token, '?q=echo&limit=1')).toMatchObject({
    status: 200,
    body: [{ name: echo[0] }],
  });
  await server.call(token, ...echo);
  expect((await server.call(token, ...echo)).status).toBe(429);

  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.stdout()).toBe('');
  await expect(lstat(server.tokenFile)).rejects.toMatchObject(gone);
});

test('--no-auth requires no token, says so once, and writes no file', async () => {
  const server = await startHttp(
    {
      http: { clients: { one: { tokenHash: tokenHash('one'), policy: { allow: ['*'] } } } },
      mcpServers: everything,
      policy: { defaultAllowedTools: [echo[0]] },
    },
    { args: ['--no-auth'] },
  );
  expect(server.stderr()).toContain(`listening on ${server.url}, no token needed`);
  expect(server.stderr().match(/every program on this machine may call/g)).toHaveLength(1);
  await expect(lstat(server.tokenFile)).rejects.toMatchObject(gone);
  expect(await server.call(undefined, ...echo)).toEqual(echoed);
  // A wrong token is ignored.
  expect(await server.call('one', ...sum)).toMatchObject(denial('is not in policy.defaultAllowedTools'));
  const fromPage = await server.ask('/mcp/tools', undefined, { headers: { origin: 'null' } });
  expect(fromPage.status).toBe(403);
});

test('does not change the token of another server', async () => {
  const server = await startHttp({});
  await writeFile(server.tokenFile, 'of another');
  server.signal('SIGINT');
  expect(await server.ended).toBe(0);
  expect(await readFile(server.tokenFile, 'utf8')).toBe('of another');
});

/** The message of a server that does not start with these settings for `http`; its exit code must be 1. */
async function problemOf(http: object, ...args: string[]): Promise<string> {
  const home = await createHome({ '.code-executor.json': JSON.stringify({ http }) });
  const options = { cwd: home, env: environmentOf(home) };
  try {
    const server = promisify(execFile)(process.execPath, [bin, '--http', ...args], options);
    const { code, stderr } = await server.then(
      () => ({ code: 0, stderr: '' }),
      (error: unknown) => error as { code: number; stderr: string },
    );
    expect(code).toBe(1);
    await expect(lstat(join(home, '.code-executor', 'http-token'))).rejects.toMatchObject(gone);
    return stderr.trim().split('\n').at(-1) ?? '';
  } finally {
    await removeHome(home);
  }
}

test('reports that a port is in use, and exits with code 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  expect(await problemOf({ port })).toBe(
    `code-executor-mcp: Port ${port} of 127.0.0.1 is in use; choose another. The keys are http.host, http.port and http.hostNames.`,
  );
  taken.close();
});

describe('an address that other machines reach', () => {
  const clients = { ci: { tokenHash: tokenHash('ci token') } };
  const hostNames = ['box.example'];
  const token = 'give each client a token in http.clients (code-executor token create <name>)';
  const names = 'set http.hostNames to the names that clients use for this machine';
  const auth = 'leave out --no-auth';

  test.each([
    ['without clients', { hostNames }, [], token],
    ['without names', { clients }, [], names],
    ['with --no-auth', { clients, hostNames }, ['--no-auth'], auth],
    ['with nothing of all that', {}, ['--no-auth'], `${auth}, and ${token}, and ${names}`],
  ])('is refused %s, and says what to set', async (_what, http, args, advice) => {
    expect(await problemOf({ ...http, host: '0.0.0.0', port: await freePort() }, ...args)).toBe(
      `code-executor-mcp: Other machines can reach http.host "0.0.0.0": ${advice}; or set http.host to 127.0.0.1.`,
    );
  });

  test('is refused with a name that has a port', async () => {
    const http = { clients, hostNames: ['box.example:80'], host: '0.0.0.0', port: await freePort() };
    expect(await problemOf(http)).toContain('"box.example:80" is not a host name');
  });

  test('is served to clients with a token, and its probes tell the others no more than that it runs', async () => {
    const server = await startHttp({
      http: { host: '0.0.0.0', hostNames: ['127.0.0.1'], clients },
      mcpServers: everything,
      policy: { defaultAllowedTools: [echo[0]] },
    });
    expect(server.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    const ask = async (path: string, init?: RequestInit) => {
      const answer = await fetch(url + path, init);
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as object) : {} };
    };
    const ci = { authorization: 'Bearer ci token', 'content-type': 'application/json' };
    const call = { method: 'POST', body: JSON.stringify({ toolName: echo[0], params: echo[1] }) };
    expect(await ask('/', { ...call, headers: ci })).toEqual({ status: 200, body: echoed.body });
    expect((await ask('/', { ...call, headers: { ...ci, authorization: 'Bearer x' } })).status).toBe(401);
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/live')).status).toBe(200);
    expect(Object.keys((await ask('/health')).body)).toEqual(['status', 'uptime', 'timestamp', 'version']);
    expect(Object.keys((await ask('/health', { headers: ci })).body)).toContain('mcpClients');
    const fromPage = await ask('/mcp/tools', { headers: { ...ci, origin: url } });
    expect(fromPage.status).toBe(403);
  });
});
