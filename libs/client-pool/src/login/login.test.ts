import { chmod, readFile, stat, writeFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';

import { dataOf, errorOf } from '../fixture-servers.test.support.js';
import { loginStatus, removeLogin } from '../index.js';
import {
  at,
  begin,
  logIn,
  logins,
  openPool,
  own,
  seen,
  set,
  stored,
  visit,
} from './oauth-server.test.support.js';

describe('a server that wants a login', () => {
  test('is listed and reported with the command that makes one', async () => {
    const pool = openPool();
    const { failedServers } = await pool.listTools();
    expect(failedServers).toEqual([
      { server: 'remote', reason: 'login needed', fix: 'Run: code-executor login remote', needsLogin: true },
    ]);
    expect(pool.stats.servers[0]).toMatchObject({
      state: 'failed',
      reason: 'login needed; run: code-executor login remote',
    });
    const error = await errorOf(pool.callTool('mcp__remote__echo', {}));
    expect(error.code).toBe('unauthenticated');
    expect(error.message).toContain('Run: code-executor login remote');
    expect(logins()).toEqual(['needed']);
  });

  test('is not asked again until there is another login, and then used without a restart', async () => {
    const pool = openPool();
    await pool.listTools();
    await seen();
    for (let i = 0; i < 10; i++) await errorOf(pool.callTool('mcp__remote__echo', {}));
    expect(await seen()).toEqual([]);
    await logIn();
    expect(await dataOf(pool, 'remote__echo', { a: 1 })).toEqual({ name: 'echo', args: { a: 1 } });
    expect(pool.stats.servers[0]).toMatchObject({ state: 'connected', circuit: 'closed' });
  });

  test('keeps its own words where a header of the configuration is refused', async () => {
    const pool = openPool({ headers: { Authorization: 'Bearer wrong-token-of-mine' } });
    const [failed] = (await pool.listTools()).failedServers;
    expect(failed?.reason).toBe('it wants a login (HTTP 401)');
    expect((await errorOf(pool.beginLogin('remote'))).code).toBe('not_found');
  });
});

test('a pool begins one login for all who ask for it, and uses it', async () => {
  const pool = openPool();
  await pool.listTools();
  const [one, other] = await Promise.all([pool.beginLogin('remote'), pool.beginLogin('remote')]);
  expect(one.url).toBe(other.url);
  await visit(one.url);
  expect(await other.finished).toEqual({ scopes: ['read'] });
  expect(await dataOf(pool, 'remote__echo')).toMatchObject({ name: 'echo' });
  expect(logins()).toEqual(['needed', 'succeeded']);
  expect((await errorOf(pool.beginLogin('nowhere'))).code).toBe('not_found');
});

describe('a login', () => {
  test('registers a client, proves its key, and stores tokens that only the user can read', async () => {
    expect(await logIn()).toEqual({ scopes: ['read'] });
    const steps = (await seen()).map((entry) => Object.keys(entry)[0]);
    expect(steps).toEqual(['mcp', 'register', 'authorize', 'token']);
    if (process.platform !== 'win32') {
      expect((await stat(own.folder)).mode & 0o777).toBe(0o700);
      expect((await stat(await stored())).mode & 0o777).toBe(0o600);
    }
    expect(await loginStatus(own.folder, 'remote', own.server)).toMatchObject({
      state: 'valid',
      issuer: at('/').origin,
      scopes: ['read'],
      canRenew: true,
    });
  });

  test('asks for what the server wants that speaks the modern era only', async () => {
    await set({ isModern: true, wantedScope: 'write' });
    expect(await logIn()).toEqual({ scopes: ['write'] });
  });

  test('uses the metadata document of the client where the authorization server takes one', async () => {
    await set({ cimd: true });
    const clientMetadataUrl = 'https://client.example/metadata.json';
    await logIn({ oauth: { clientMetadataUrl } });
    const log = await seen();
    expect(log.some((entry) => 'register' in entry)).toBe(false);
    expect(log.find((entry) => 'authorize' in entry)?.['authorize']).toMatchObject({
      client_id: clientMetadataUrl,
    });
  });

  test('uses the client of the configuration, and leaves its secret there', async () => {
    await set({ dcr: false, known: { id: 'mine', secret: 'hunter22-secret' } });
    const oauth = { clientId: 'mine', clientSecret: 'hunter22-secret', scopes: ['extra'] };
    await logIn({ oauth });
    const log = await seen();
    expect(log.find((entry) => 'authorize' in entry)?.['authorize']).toMatchObject({ scope: 'extra read' });
    expect(log.find((entry) => 'token' in entry)?.['token']).toMatchObject({ secret: 'hunter22-secret' });
    expect(await readFile(await stored(), 'utf8')).not.toContain('hunter22');
    expect(await dataOf(openPool({ oauth }), 'remote__echo')).toMatchObject({ name: 'echo' });
  });

  test('says that a client must be registered where none registers itself', async () => {
    await set({ dcr: false });
    const error = await errorOf(begin());
    expect(error.code).toBe('failed_precondition');
    expect(error.message).toContain('set oauth.clientId of remote in your configuration');
  });

  test('is refused at a server that asks for none', async () => {
    await set({ needsLogin: false, isHidden: true });
    expect((await errorOf(begin())).message).toBe('Server remote does not ask for a login.');
  });

  test('answers the browser with a page that holds nothing of the request', async () => {
    await set({ deny: 'access_denied' });
    const { url, finished } = await begin();
    const page = await visit(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(await page.text()).not.toMatch(/script|access_denied/);
    const error = await errorOf(finished);
    expect(error.message).toBe('The authorization server of remote refused the login (access_denied).');
  });

  test('takes no answer with another state, and still waits for its own', async () => {
    const { url, finished } = await begin();
    const callback = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
    for (const state of ['', 'x', '<b>']) {
      callback.search = new URLSearchParams({ code: 'stolen', state }).toString();
      const answer = await fetch(callback);
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toContain('<b>');
    }
    await visit(url);
    expect(await finished).toEqual({ scopes: ['read'] });
  });

  test('ends when nobody answers, and stops listening', async () => {
    const { url, finished } = await begin({}, 50);
    expect((await errorOf(finished)).code).toBe('deadline_exceeded');
    await expect(fetch(new URL(url).searchParams.get('redirect_uri') ?? '')).rejects.toThrow();
  });

  test.each([
    [
      'metadata of another issuer',
      { issuer: 'https://other.example' },
      'is not the one that it claims to be',
    ],
    ['a resource of another server', { resource: 'https://other.example/mcp' }, 'could not be used'],
  ])('is refused with %s', async (_what, settings, message) => {
    await set(settings);
    expect((await errorOf(begin())).message).toContain(message);
    expect(await loginStatus(own.folder, 'remote', own.server)).toMatchObject({ state: 'none' });
  });

  test.each([
    ['an answer of another issuer', { iss: 'https://evil.example' }, 'is not the one that it claims to be'],
    [
      'a token endpoint that redirects elsewhere',
      { redirectToken: 'http://127.0.0.1:9/token' },
      'refused the login (server_error)',
    ],
    ['an answer that is too large', { tokenBody: 'huge' }, 'answers with too much'],
    ['an answer that is no JSON', { tokenBody: '{"access_token":' }, 'could not be used'],
    ['an answer without a token', { tokenBody: '{"token_type":"Bearer"}' }, 'could not be used'],
  ])('stores nothing after %s', async (_what, settings, message) => {
    await set(settings);
    const { url, finished } = await begin();
    await visit(url);
    const error = await errorOf(finished);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('evil');
    expect(await loginStatus(own.folder, 'remote', own.server)).toMatchObject({ state: 'none' });
  });

  test('can be removed, and is used no more', async () => {
    await logIn();
    const pool = openPool();
    await dataOf(pool, 'remote__echo');
    expect(await removeLogin(own.folder, own.server)).toBe(true);
    expect((await errorOf(pool.callTool('mcp__remote__echo', {}))).code).toBe('unauthenticated');
    expect(await removeLogin(own.folder, own.server)).toBe(false);
  });

  test('of a file that others can write is not used', async () => {
    await logIn();
    await chmod(await stored(), 0o666);
    expect((await openPool().listTools()).failedServers).toMatchObject([{ reason: 'login needed' }]);
  });

  test('whose tokens are of another issuer is not used', async () => {
    await logIn();
    const path = await stored();
    const record = JSON.parse(await readFile(path, 'utf8')) as { tokens: object };
    const tokens = { ...record.tokens, issuer: 'https://other.example' };
    await writeFile(path, JSON.stringify({ ...record, tokens }), { mode: 0o600 });
    expect((await openPool().listTools()).failedServers).toMatchObject([{ reason: 'login needed' }]);
  });
});
