import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { afterEach, describe, expect, test } from '@jest/globals';

import { bin, createHome, environmentOf, realServer, until } from './started-server.test.support.js';

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('No port.');
  return address.port;
}

async function spawnHttp(home: string, config: object) {
  await writeFile(join(home, '.code-executor.json'), JSON.stringify(config), { mode: 0o600 });
  const child = spawn(process.execPath, [bin, '--http'], { cwd: home, env: environmentOf(home) });
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
  ending.push(() => rm(home, { recursive: true, force: true }));
  return home;
}

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

    const url = `http://127.0.0.1:${port}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const call = async (toolName: string, params: object) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ toolName, params }),
      });
      return [answer.status, await answer.json()];
    };
    expect((await fetch(`${url}/mcp/tools`)).status).toBe(401);
    expect(await call('mcp__everything__echo', { message: 'hi' })).toEqual([200, { result: 'Echo: hi' }]);
    expect(await call('mcp__everything__echo', {})).toMatchObject([
      400,
      { error: { code: 'invalid_argument' } },
    ]);
    expect(await call('mcp__everything__get-sum', { a: 1, b: 2 })).toMatchObject([
      403,
      { error: { code: 'permission_denied' } },
    ]);
    const listed = await fetch(`${url}/mcp/tools?q=echo&limit=1`, { headers });
    expect(await listed.json()).toMatchObject([{ name: 'mcp__everything__echo' }]);
    await call('mcp__everything__echo', { message: 'hi' });
    expect(await call('mcp__everything__echo', { message: 'hi' })).toMatchObject([429, {}]);

    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output().stdout).toBe('');
    await expect(lstat(tokenFile)).rejects.toMatchObject({ code: 'ENOENT' });
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
});
