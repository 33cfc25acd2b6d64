import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import type { AuditEvent } from '@code-executor/contracts';
import { freePort } from '@code-executor/contracts/testing';
import { afterEach, describe, expect, test } from '@jest/globals';

import {
  bin,
  createHome,
  environmentOf,
  realServer,
  removeHome,
  until,
} from './started-server.test.support.js';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  // The last begun first: a server before its home.
  for (const end of ending.splice(0).reverse()) await end();
});

async function spawnHttp(home: string, config: object, ...args: string[]) {
  await writeFile(join(home, '.code-executor.json'), JSON.stringify(config), { mode: 0o600 });
  const child = spawn(process.execPath, [bin, '--http', ...args], { cwd: home, env: environmentOf(home) });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  ending.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, output: () => ({ stdout, stderr }) };
}

async function newHome(): Promise<string> {
  const home = await createHome();
  ending.push(() => removeHome(home));
  return home;
}

/** Asks as whoever has the token; gives the status and the body of the answer. */
function caller(port: number, token?: string) {
  const url = `http://127.0.0.1:${port}`;
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    'content-type': 'application/json',
  };
  const send = async (path: string, init: RequestInit): Promise<[number, unknown]> => {
    const answer = await fetch(url + path, { ...init, headers });
    return [answer.status, await answer.json()];
  };
  return {
    call: (toolName: string, params: object) =>
      send('/', { method: 'POST', body: JSON.stringify({ toolName, params }) }),
    list: (query = '') => send(`/mcp/tools${query}`, {}),
  };
}

/** What the server has on record. */
async function recordsOf(home: string): Promise<AuditEvent[]> {
  const folder = join(home, '.code-executor', 'audit-logs');
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line) as AuditEvent);
}

const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
const echoed = [200, { result: 'Echo: hi' }];
const sum = ['mcp__everything__get-sum', { a: 1, b: 2 }] as const;
const echo = ['mcp__everything__echo', { message: 'hi' }] as const;

describe('code-executor-mcp --http', () => {
  test('serves what the policy allows, with the token in the home, until a signal comes', async () => {
    const home = await newHome();
    const port = await freePort();
    const tokenFile = join(home, '.code-executor', 'http-token');
    // A link left there by somebody must be replaced, not followed.
    await mkdir(join(home, '.code-executor'), { mode: 0o700 });
    await writeFile(join(home, 'canary'), 'canary');
    await symlink(join(home, 'canary'), tokenFile);
    const { child, ended, output } = await spawnHttp(home, {
      http: { port },
      mcpServers: { everything: realServer('everything') },
      policy: {
        defaultAllowedTools: ['mcp__everything__echo', 'mcp__everything__get-sum'],
        ceiling: ['mcp__*__echo'],
      },
      security: { rateLimit: { maxRequests: 4 } },
    });
    await until(() => output().stderr.includes('listening on'));
    expect(output().stderr).toContain(`listening on http://127.0.0.1:${port}, token in ${tokenFile}`);
    const file = await lstat(tokenFile);
    expect([file.isFile(), file.mode & 0o777]).toEqual([true, 0o600]);
    expect(await readFile(join(home, 'canary'), 'utf8')).toBe('canary');
    const token = (await readFile(tokenFile, 'utf8')).trim();
    expect(output().stderr).not.toContain(token);

    const { call, list } = caller(port, token);
    expect((await caller(port).list())[0]).toBe(401);
    expect(await call(...echo)).toEqual(echoed);
    expect(await call('mcp__everything__echo', {})).toMatchObject([
      400,
      { error: { code: 'invalid_argument' } },
    ]);
    expect(await call(...sum)).toMatchObject([
      403,
      { error: { code: 'permission_denied', message: expect.stringContaining('(policy.ceiling)') } },
    ]);
    expect(await list('?q=echo&limit=1')).toMatchObject([200, [{ name: 'mcp__everything__echo' }]]);
    await call(...echo);
    expect(await call(...echo)).toMatchObject([429, {}]);

    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output().stdout).toBe('');
    await expect(lstat(tokenFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('has on record whatever it does not let in, a bounded number of each kind, and counts the others', async () => {
    const home = await newHome();
    const port = await freePort();
    const { child, ended, output } = await spawnHttp(home, {
      http: { port, clients: { ci: { tokenHash: hashOf('ci token') } } },
    });
    await until(() => output().stderr.includes('listening on'));
    const url = `http://127.0.0.1:${port}`;
    const authorization = 'Bearer ci token';
    for (let n = 0; n < 130; n++) await fetch(url);
    await fetch(url, { headers: { authorization, origin: 'http://evil.example' } });
    await fetch(`${url}/none`, { headers: { authorization } });
    await fetch(url, { method: 'POST', headers: { authorization }, body: 'x' });
    const body = '{"toolName":"mcp__none__x"}';
    const json = { 'content-type': 'application/json' };
    // The call is refused by the policy, which has it on record as such.
    await fetch(url, { method: 'POST', headers: { authorization, ...json }, body });
    await fetch(url, { method: 'POST', headers: { authorization, ...json }, body: '{}' });
    child.kill('SIGTERM');
    await ended;
    const told = (await recordsOf(home)).map(({ type, status, action, httpStatus, clientId, count }) =>
      [type, action ?? status, httpStatus, clientId, count].filter((value) => value !== undefined).join(' '),
    );
    expect(told).toEqual([
      'lifecycle started',
      ...Array.from({ length: 100 }, () => 'auth_failure rejected 401'),
      'request_refused rejected 403',
      'request_refused rejected 404 ci',
      'request_refused rejected 415 ci',
      'denial rejected ci',
      'request_refused rejected 400 ci',
      'auth_failure rejected 401 30',
      'lifecycle stopped',
    ]);
  });

  test('knows clients by their tokens: what each may call and how often; writes no token file', async () => {
    const home = await newHome();
    const port = await freePort();
    const clients = {
      adder: {
        tokenHash: hashOf('adder token'),
        policy: { allow: ['mcp__everything__*', 'mcp__other__*'], deny: ['*__echo'] },
        rateLimit: { maxRequests: 5 },
      },
      plain: { tokenHash: hashOf('plain token') },
      less: { tokenHash: hashOf('less token'), policy: { deny: ['*'] }, rateLimit: { enabled: false } },
    };
    const { child, ended, output } = await spawnHttp(home, {
      http: { port, clients },
      mcpServers: { everything: realServer('everything') },
      policy: { defaultAllowedTools: [echo[0]], ceiling: ['mcp__everything__*'] },
      security: { rateLimit: { maxRequests: 3 } },
    });
    await until(() => output().stderr.includes('listening on'));
    expect(output().stderr).toContain(`listening on http://127.0.0.1:${port}, for 3 of http.clients`);
    await expect(lstat(join(home, '.code-executor', 'http-token'))).rejects.toMatchObject({ code: 'ENOENT' });

    for (const wrong of [undefined, 'adder', hashOf('adder token'), 'adder token, plain token']) {
      expect((await caller(port, wrong).call(...echo))[0]).toBe(401);
    }
    const adder = caller(port, 'adder token');
    expect(await adder.call(...sum)).toMatchObject([200, {}]);
    expect(await adder.call(...echo)).toMatchObject([403, denial('(http.clients.adder.policy.deny)')]);
    expect(await adder.call('mcp__other__x', {})).toMatchObject([403, denial('(policy.ceiling)')]);
    expect(await adder.call('mcp__everything__none', {})).toMatchObject([404, {}]);

    const plain = caller(port, 'plain token');
    expect(await plain.call(...sum)).toMatchObject([
      403,
      denial(
        'is not in policy.defaultAllowedTools (mcp__everything__echo); have the operator add it there or to http.clients.plain.policy.allow',
      ),
    ]);
    expect(await plain.call('mcp__everything__ehco', {})).toMatchObject([
      403,
      denial('did you mean mcp__everything__echo?'),
    ]);
    expect(await plain.call(...echo)).toEqual(echoed);
    expect(await plain.call(...echo)).toMatchObject([
      429,
      { error: { message: expect.stringContaining('http.clients.plain.rateLimit') } },
    ]);
    // Its own limit, and its own count.
    expect((await adder.call(...sum))[0]).toBe(200);
    expect((await adder.call(...sum))[0]).toBe(429);

    const less = caller(port, 'less token');
    for (let n = 0; n < 10; n++) {
      expect(await less.call(...echo)).toMatchObject([403, denial('(http.clients.less.policy.deny)')]);
    }
    expect(await less.list('?q=echo&limit=1')).toMatchObject([
      200,
      [{ unavailable: { fix: expect.stringContaining('http.clients.less.policy.deny') } }],
    ]);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output().stderr).not.toMatch(/[0-9a-f]{64}| token"/);
    const recorded = (await recordsOf(home)).filter(({ clientId }) => clientId === 'plain');
    expect(
      recorded.filter(({ toolName }) => toolName).map((record) => [record.type, record.toolName]),
    ).toEqual([
      ['denial', sum[0]],
      ['denial', 'mcp__everything__ehco'],
      ['tool_call', echo[0]],
    ]);
  });

  test('tells who comes while it ends to come again, and finishes what runs', async () => {
    const home = await newHome();
    const port = await freePort();
    const { child, ended, output } = await spawnHttp(home, {
      http: { port, clients: { ci: { tokenHash: hashOf('ci token') } } },
      mcpServers: { everything: realServer('everything') },
      policy: { defaultAllowedTools: ['*'] },
    });
    await until(() => output().stderr.includes('listening on'));
    const { call } = caller(port, 'ci token');
    const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const long = call('mcp__everything__trigger-long-running-operation', { duration: 4, steps: 1 });
    await until(async () => {
      const { connectionPool } = (await (await at('/ready')).json()) as {
        connectionPool: { active: number };
      };
      return connectionPool.active === 1;
    });
    child.kill('SIGTERM');
    await until(() => output().stderr.includes('The server ends'));
    await until(async () => (await at('/ready')).status === 503);
    const ready = await at('/ready');
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await at('/live')).status).toBe(200);
    expect(await call(...echo)).toMatchObject([
      503,
      { error: { code: 'unavailable', retryAfterMs: 30_000 } },
    ]);
    expect((await long)[0]).toBe(200);
    expect(await ended).toBe(0);
  });

  test('--no-auth asks for no token, says so once, and writes no file', async () => {
    const home = await newHome();
    const port = await freePort();
    const config = {
      http: { port, clients: { one: { tokenHash: hashOf('one'), policy: { allow: ['*'] } } } },
      mcpServers: { everything: realServer('everything') },
      policy: { defaultAllowedTools: [echo[0]] },
    };
    const { output } = await spawnHttp(home, config, '--no-auth');
    await until(() => output().stderr.includes('listening on'));
    expect(output().stderr).toContain(`listening on http://127.0.0.1:${port}, no token needed`);
    expect(output().stderr.match(/every program on this machine may call/g)).toHaveLength(1);
    await expect(lstat(join(home, '.code-executor', 'http-token'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await caller(port).call(...echo)).toEqual(echoed);
    // Who asks is not looked at.
    expect(await caller(port, 'one').call(...sum)).toMatchObject([
      403,
      denial('is not in policy.defaultAllowedTools'),
    ]);
    const fromPage = await fetch(`http://127.0.0.1:${port}/mcp/tools`, { headers: { origin: 'null' } });
    expect(fromPage.status).toBe(403);
  });

  test('finishes the calls under way when its configuration changes, under the one they began with', async () => {
    const home = await newHome();
    const port = await freePort();
    const config = (...defaultAllowedTools: string[]) => ({
      http: { port },
      mcpServers: { everything: realServer('everything') },
      policy: { defaultAllowedTools },
    });
    const long = 'mcp__everything__trigger-long-running-operation';
    const { child, output } = await spawnHttp(home, config(long), '--no-auth');
    await until(() => output().stderr.includes('listening on'));
    const answer = caller(port).call(long, { duration: 3, steps: 2 });
    await until(async () => {
      const ready = await fetch(`http://127.0.0.1:${port}/ready`);
      const { connectionPool } = (await ready.json()) as { connectionPool: { active: number } };
      return connectionPool.active === 1;
    });
    await writeFile(join(home, '.code-executor.json'), JSON.stringify(config(echo[0])));
    child.kill('SIGHUP');
    await until(() => output().stderr.includes('read again'));
    expect(await caller(port).call(long, {})).toMatchObject([403, {}]);
    expect(await caller(port).call(...echo)).toEqual(echoed);
    expect((await answer)[0]).toBe(200);
    await until(async () => {
      const calls = (await recordsOf(home)).filter(
        ({ type, toolName }) => type === 'tool_call' && toolName === long,
      );
      return calls.map(({ status }) => status).join() === 'success';
    });
  });

  test('leaves the token of another server alone', async () => {
    const home = await newHome();
    const tokenFile = join(home, '.code-executor', 'http-token');
    const { child, ended, output } = await spawnHttp(home, { http: { port: await freePort() } });
    await until(() => output().stderr.includes('listening on'));
    await writeFile(tokenFile, 'of another');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(await readFile(tokenFile, 'utf8')).toBe('of another');
  });

  test.each<[string, () => object, RegExp]>([
    [
      'a port in use',
      () => ({ port: 0 }),
      /^code-executor-mcp: Port \d+ of 127\.0\.0\.1 is in use; .*http\.port/,
    ],
    [
      'a host of the network',
      () => ({ host: '0.0.0.0' }),
      /^code-executor-mcp: Host "0\.0\.0\.0" is not a loopback/,
    ],
  ])('%s is exit code 1 and says so', async (_what, http, problem) => {
    const home = await newHome();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    ending.push(async () => {
      taken.close();
      await once(taken, 'close');
    });
    const { port } = taken.address() as { port: number };
    const { ended, output } = await spawnHttp(home, { http: { ...http(), port } });
    expect(await ended).toBe(1);
    expect(output().stderr).toMatch(problem);
    await expect(lstat(join(home, '.code-executor', 'http-token'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('makes no call without a record where audit.required asks for one', async () => {
    const home = await newHome();
    const port = await freePort();
    await writeFile(join(home, 'blocked'), '');
    const { output } = await spawnHttp(home, {
      http: { port },
      mcpServers: { everything: realServer('everything') },
      policy: { defaultAllowedTools: ['*'] },
      audit: { required: true, path: './blocked/audit' },
    });
    await until(() => output().stderr.includes('listening on'));
    const token = (await readFile(join(home, '.code-executor', 'http-token'), 'utf8')).trim();
    expect(await caller(port, token).call(...echo)).toMatchObject([
      400,
      { error: { code: 'failed_precondition' } },
    ]);
  });
});

/** The body of a refusal whose message has this part. */
function denial(part: string): object {
  return { error: { code: 'permission_denied', message: expect.stringContaining(part) } };
}
