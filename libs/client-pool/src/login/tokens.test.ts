import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';

import { dataOf, errorOf, until } from '../fixture-servers.test.support.js';
import { loginStatus } from '../index.js';
import { logIn, logins, openPool, own, seen, set, stored } from './oauth-server.test.support.js';

describe('tokens', () => {
  test('are renewed before they expire, once for all calls at once', async () => {
    await set({ expiresIn: 1 });
    await logIn();
    await set({ expiresIn: 3600 });
    await until(() => loginStatus(own.folder, 'remote', own.server).then(({ state }) => state === 'expired'));
    await seen();
    const pool = openPool();
    await Promise.all([1, 2, 3, 4].map((i) => dataOf(pool, 'remote__echo', { i })));
    const grants = (await seen()).filter((entry) => 'token' in entry);
    expect(grants).toMatchObject([{ token: { grant: 'refresh_token' } }]);
    expect(logins()).toEqual(['refreshed']);
  });

  test('are renewed once by two pools on one home', async () => {
    await set({ expiresIn: 1 });
    await logIn();
    await set({ expiresIn: 3600 });
    await until(() => loginStatus(own.folder, 'remote', own.server).then(({ state }) => state === 'expired'));
    await seen();
    await Promise.all([openPool(), openPool()].map((pool) => dataOf(pool, 'remote__echo')));
    expect((await seen()).filter((entry) => 'token' in entry)).toHaveLength(1);
  });

  test('that the server forgot are renewed, and the call is made', async () => {
    await logIn();
    const pool = openPool();
    await dataOf(pool, 'remote__echo');
    await set({ expireAll: true });
    expect(await dataOf(pool, 'remote__echo', { a: 1 })).toMatchObject({ args: { a: 1 } });
    expect(logins()).toEqual(['refreshed']);
  });

  test('that cannot be renewed any more make a login needed', async () => {
    await logIn();
    const pool = openPool();
    await dataOf(pool, 'remote__echo');
    await set({ expireAll: true, refuseRefresh: true });
    expect((await errorOf(pool.callTool('mcp__remote__echo', {}))).code).toBe('unauthenticated');
    expect(pool.stats.servers[0]).toMatchObject({ state: 'failed', circuit: 'closed' });
    expect(logins()).toEqual(['failed', 'needed']);
    await set({ refuseRefresh: false });
    await logIn();
    expect(await dataOf(pool, 'remote__echo')).toMatchObject({ name: 'echo' });
  });

  test('stand in no error and in no log', async () => {
    await logIn();
    const pool = openPool();
    const error = await errorOf(pool.callTool('mcp__remote__leak', {}));
    expect(error.message).toContain('your token is ***');
    await set({ expireAll: true, refuseRefresh: true });
    await errorOf(pool.callTool('mcp__remote__echo', {}));
    const secrets = [...(await readFile(await stored(), 'utf8')).matchAll(/(?:access|refresh)-[\w-]+/g)];
    expect(secrets.length).toBeGreaterThan(0);
    for (const [secret] of secrets) expect(own.logged.join('\n')).not.toContain(secret);
  });
});

test('a call that needs more scopes says so, and the next login asks for all of them', async () => {
  await logIn();
  const pool = openPool();
  const error = await errorOf(pool.callTool('mcp__remote__admin', {}));
  expect(error.code).toBe('unauthenticated');
  expect(error.message).toBe(
    'Server remote refused the call, because the login there lacks admin. To ask for it, run: code-executor login remote',
  );
  // The others still work.
  expect(await dataOf(pool, 'remote__echo')).toMatchObject({ name: 'echo' });
  expect(await loginStatus(own.folder, 'remote', own.server)).toMatchObject({ missingScopes: ['admin'] });
  expect(await logIn()).toEqual({ scopes: ['read', 'admin'] });
  expect(await dataOf(pool, 'remote__admin')).toMatchObject({ name: 'admin' });
});
