import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { removeHome } from '../server-under-test/home.js';
import { StartedServer } from '../server-under-test/started-server.js';
import { logIn, type OAuthServer, startOAuthServer } from '../upstream-servers/oauth-server.js';
import { createHomeWith } from './home-with-remote.js';

const call = (tool: string) =>
  `return await callMCPTool('mcp__remote__${tool}', { a: 1 }).catch(({ code, message }) => [code, message]);`;

let remote: OAuthServer;
let home: string;
let server: StartedServer;
beforeEach(async () => {
  remote = await startOAuthServer();
  home = await createHomeWith(remote);
  server = await StartedServer.start({}, {}, home);
});
afterEach(async () => {
  await server.client.close();
  remote.close();
  await removeHome(home);
});

describe('a remote server that wants a login', () => {
  test('is named with the command, and its tools work in the same server once somebody has logged in', async () => {
    const found = await server.run('return await searchTools("echo");');
    expect(found.unavailableServers).toEqual([
      { server: 'remote', reason: 'login needed', fix: 'Run: code-executor login remote' },
    ]);
    expect((await server.run(call('echo'))).result).toEqual([
      'unavailable',
      expect.stringContaining('Run: code-executor login remote'),
    ]);
    const { structured } = await server.call('health', {});
    expect(structured['servers']).toMatchObject([
      { name: 'remote', state: 'failed', reason: 'login needed; run: code-executor login remote' },
    ]);
    expect(await logIn(home, 'remote')).toBe(0);
    expect((await server.run(call('echo'))).result).toEqual({ name: 'echo', args: { a: 1 } });
  });

  test('says which scopes a call lacks, and the next login has them', async () => {
    expect(await logIn(home, 'remote')).toBe(0);
    expect((await server.run(call('admin'))).result).toEqual([
      'unauthenticated',
      'Server remote refused the call, because the login there lacks admin. To ask for it, run: code-executor login remote',
    ]);
    expect(await logIn(home, 'remote')).toBe(0);
    expect((await server.run(call('admin'))).result).toMatchObject({ name: 'admin' });
  });

  test('has its tokens in no answer, log or record', async () => {
    await logIn(home, 'remote');
    const answer = JSON.stringify(await server.run(call('leak')));
    await server.client.close();
    const folder = join(home, '.code-executor');
    const [file = ''] = (await readdir(join(folder, 'oauth'))).filter((name) => name.endsWith('.json'));
    const stored = await readFile(join(folder, 'oauth', file), 'utf8');
    const secrets = [...stored.matchAll(/(?:access|refresh)-[\w-]{20,}/g)].map(([secret]) => secret);
    expect(secrets).toHaveLength(2);
    const logs = join(folder, 'audit-logs');
    const records = await Promise.all(
      (await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')),
    );
    const shown = [answer, server.stderr, ...records].join('\n');
    expect(shown).toContain('"login"');
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });
});
