import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadConfig } from '@code-executor/config';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../run-cli.test.support.js';

let home: string;
let file: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'cli-token-')));
  file = join(home, 'config.json');
});
afterEach(() => rm(home, { recursive: true }));

const hashOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`;
const clients = async () => (await loadConfig({ file, env: {} })).config.http?.clients;
const note = (text: string) => `code-executor: ${text}\n`;

describe('code-executor token', () => {
  test('create prints the token once and keeps only its hash', async () => {
    const { code, stdout, stderr } = await runCli(home, 'token', 'create', 'app');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]{43}\n$/);
    const token = stdout.trim();
    expect(stderr).toBe(
      note(`Client app is in ${file}, with the hash of this token. The token is shown only once.`) +
        note('A program with generated wrappers finds it in CODE_EXECUTOR_AUTH_TOKEN.') +
        note('It is the first client, so the server no longer creates an http-token.') +
        note('A running server accepts it after a restart: code-executor-mcp --http'),
    );
    expect(await clients()).toEqual({ app: { tokenHash: hashOf(token) } });
    expect(await readFile(file, 'utf8')).not.toContain(token);
    expect(await readdir(home)).toEqual(['config.json']);
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('create --allow limits what the client may call, and keeps the comments of the file', async () => {
    await writeFile(file, '{\n  // mine\n  "projectOnly": true // too\n}\n', { mode: 0o600 });
    const allow = ['mcp__memory__*', 'mcp__github__get_issue', '*__read'];
    const args = ['--allow', 'mcp__memory__*', 'mcp__github__get_issue', '--allow', '*__read', '--json'];
    const { stdout } = await runCli(home, 'token', 'create', 'app', ...args);
    const { token, ...rest } = JSON.parse(stdout) as { token: string };
    expect(rest).toEqual({ id: 'app', file });
    expect(await clients()).toEqual({ app: { tokenHash: hashOf(token), policy: { allow } } });
    expect(await readFile(file, 'utf8')).toMatch(
      /^\{\n {2}\/\/ mine\n {2}"projectOnly": true, \/\/ too\n {2}"http"/,
    );
  });

  test('create refuses an id that exists, and changes nothing', async () => {
    await runCli(home, 'token', 'create', 'app');
    const before = await readFile(file, 'utf8');
    expect(await runCli(home, 'token', 'create', 'app')).toEqual({
      code: 1,
      stdout: '',
      stderr: note('Client app exists already. For a new token, first run: code-executor token revoke app'),
    });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('create keeps all clients that are created at the same time', async () => {
    const ids = ['a', 'b', 'constructor'];
    const runs = await Promise.all(ids.map((id) => runCli(home, 'token', 'create', id)));
    const expected = ids.map((id, index) => [id, { tokenHash: hashOf(runs[index]?.stdout.trim() ?? '') }]);
    expect(await clients()).toEqual(Object.fromEntries(expected));
  });

  test('--config names the file, which must be valid', async () => {
    const other = join(home, 'other.json');
    await writeFile(other, '{ "htpp": {} }');
    const refused = await runCli(home, 'token', 'create', 'app', '--config', other);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('did you mean http?');
    expect(await readFile(other, 'utf8')).toBe('{ "htpp": {} }');
    await writeFile(other, '{}');
    await runCli(home, '--config', other, 'token', 'create', 'app');
    expect(await readdir(home)).toEqual(['other.json']);
  });

  test('list shows the clients without their hashes', async () => {
    expect(await runCli(home, 'token', 'list')).toEqual({
      code: 0,
      stdout: '',
      stderr: note('No clients are configured. To add one: code-executor token create --help'),
    });
    const app = {
      tokenHash: hashOf('a'),
      policy: { allow: ['mcp__a__*', 'mcp__b__c'], deny: ['mcp__a__x'] },
    };
    const web = { tokenHash: hashOf('b'), rateLimit: { maxRequests: 5 } };
    const careful = {
      tokenHash: hashOf('c'),
      policy: { allow: ['a'], ceiling: ['mcp__a__*'], ask: ['mcp__a__x', 'b'], readOnly: true },
    };
    await writeFile(file, JSON.stringify({ http: { clients: { app, web, careful } } }), { mode: 0o600 });
    expect(await runCli(home, 'token', 'list')).toEqual({
      code: 0,
      stdout: [
        'Client   May call                    But not    Restrictions',
        'app      mcp__a__*, mcp__b__c        mcp__a__x',
        'web      policy.defaultAllowedTools',
        'careful  a                                      at most mcp__a__*; asks for mcp__a__x, b; only reads',
        '',
      ].join('\n'),
      stderr: '',
    });
    const { stdout } = await runCli(home, 'token', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual([
      { id: 'app', policy: app.policy },
      { id: 'web', rateLimit: web.rateLimit },
      { id: 'careful', policy: careful.policy },
    ]);
  });

  test('revoke removes a client', async () => {
    await runCli(home, 'token', 'create', 'app');
    const second = await runCli(home, 'token', 'create', 'web');
    expect(second.stderr).toContain('A server running with this file accepts it within a second or two.');
    expect(await runCli(home, 'token', 'revoke', 'app')).toEqual({
      code: 0,
      stdout: 'Revoked app\n',
      stderr:
        note(`The client was removed from ${file}.`) +
        note('A server running with this file refuses the token within a second or two.'),
    });
    expect(Object.keys((await clients()) ?? {})).toEqual(['web']);
    expect(await runCli(home, 'token', 'revoke', 'app')).toEqual({
      code: 1,
      stdout: '',
      stderr: note('There is no client app; configured: web.'),
    });
    const last = await runCli(home, 'token', 'revoke', 'web');
    expect(last.stderr).toContain('It was the last client');
    expect((await runCli(home, 'token', 'revoke', 'web')).stderr).toBe(
      note('There is no client web; none is configured.'),
    );
  });

  test.each([
    [['create'], "missing required argument 'ID'"],
    [['create', 'a b'], 'An id has letters, digits'],
    [['create', '__proto__'], 'An id has letters, digits'],
    [['create', 'app', '--allow', 'read_graph'], 'Give the full name of a tool'],
    [['create', 'app', '--allow', 'memory*'], 'Give the full name of a tool'],
    [['create', 'app', '--allow', 'mcp__a__b,mcp__c__d'], 'separate several with spaces'],
    [['create', 'app', '--allow', 'mcp__a__\u001b[31m'], 'Give the full name of a tool'],
    [['revoke', 'a'.repeat(65)], 'at most 64'],
  ])('refuses %j with an explanation', async (args, text) => {
    const run = await runCli(home, 'token', ...args);
    expect([run.code, run.stdout, run.stderr]).toEqual([2, '', expect.stringContaining(text)]);
    expect(await readdir(home)).toEqual([]);
  });
});
