import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

import { bin } from '../server-under-test/bin.js';
import { createHome, environmentOf, removeHome } from '../server-under-test/home.js';
import { tokenHash } from '../server-under-test/started-http-server.js';
import { denial, echo, echoed, everything, startHttp, sum } from './http-servers.js';

const gone = { code: 'ENOENT' };

test('serves what the policy allows, with the token in the home, until a signal comes', async () => {
  const home = await createHome();
  // A link left there by somebody must be replaced, not followed.
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

test('--no-auth asks for no token, says so once, and writes no file', async () => {
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
  // Who asks is not looked at.
  expect(await server.call('one', ...sum)).toMatchObject(denial('is not in policy.defaultAllowedTools'));
  const fromPage = await server.ask('/mcp/tools', undefined, { headers: { origin: 'null' } });
  expect(fromPage.status).toBe(403);
});

test('leaves the token of another server alone', async () => {
  const server = await startHttp({});
  await writeFile(server.tokenFile, 'of another');
  server.signal('SIGINT');
  expect(await server.ended).toBe(0);
  expect(await readFile(server.tokenFile, 'utf8')).toBe('of another');
});

test.each([
  ['a port in use', {}, /^code-executor-mcp: Port \d+ of 127\.0\.0\.1 is in use; .*http\.port/],
  ['a host of the network', { host: '0.0.0.0' }, /^code-executor-mcp: Host "0\.0\.0\.0" is not a loopback/],
])('%s is exit code 1 and says so', async (_what, http, problem) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const home = await createHome({ '.code-executor.json': JSON.stringify({ http: { ...http, port } }) });
  try {
    const server = promisify(execFile)(process.execPath, [bin, '--http'], {
      cwd: home,
      env: environmentOf(home),
    });
    await expect(server).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(problem) as unknown,
    });
    await expect(lstat(join(home, '.code-executor', 'http-token'))).rejects.toMatchObject(gone);
  } finally {
    taken.close();
    await removeHome(home);
  }
});
