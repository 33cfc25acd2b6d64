import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli, startCli } from '../run-cli.test.support.js';

const fixture = fileURLToPath(
  new URL('../../../../libs/client-pool/fixtures/oauth-server.mjs', import.meta.url),
);
let home: string;
let remote: ChildProcess;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'cli-login-')));
  remote = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface({ input: remote.stdout as NodeJS.ReadableStream });
  const [url] = (await once(lines, 'line')) as [string];
  const mcpServers = { remote: { url }, local: { command: 'node' } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ mcpServers }), { mode: 0o600 });
});
afterEach(async () => {
  remote.kill('SIGKILL');
  await rm(home, { recursive: true });
});

/** Runs a login, and does what a browser does. */
async function logIn(...args: string[]) {
  const { process: child, ended } = startCli(home, {}, 'login', 'remote', ...args);
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [
    string,
  ];
  const url = line.startsWith('{')
    ? (JSON.parse(line) as { authorizationUrl: string }).authorizationUrl
    : line;
  const redirected = await fetch(url, { redirect: 'manual' });
  await fetch(redirected.headers.get('location') ?? '');
  return ended;
}

describe('code-executor login', () => {
  test('prints the address to open, waits for the person, and stores the login', async () => {
    const { code, stderr } = await logIn();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'code-executor: Open this address in a browser of this machine, and finish the login there.\n' +
        'code-executor: Logged in at remote for read.\n',
    });
    expect((await readdir(join(home, 'oauth'))).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    const { stdout } = await runCli(home, 'audit', 'search', '--type', 'login', '--json');
    expect(stdout).toContain('"succeeded"');
    expect(stdout).not.toMatch(/access-|refresh-/);
  });

  test('tells programs the address and the result, one object in each line', async () => {
    const { stdout } = await logIn('--json');
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toEqual({ server: 'remote', authorizationUrl: expect.stringContaining('/authorize?') });
    expect(second).toEqual({ server: 'remote', scopes: ['read'] });
  });

  test('lists the remote servers and the logins at them, without tokens', async () => {
    expect((await runCli(home, 'login', '--list')).stdout).toBe(
      'Server  Login  Scopes  Until\nremote  none\n',
    );
    await logIn();
    expect((await runCli(home, 'login', '--list')).stdout).toBe(
      'Server  Login  Scopes  Until\nremote  valid  read\n',
    );
    const { stdout } = await runCli(home, 'login', '--list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { server: 'remote', state: 'valid', scopes: ['read'], canRenew: true },
    ]);
    expect(stdout).not.toMatch(/access-|refresh-/);
  });

  test('forgets a login', async () => {
    await logIn();
    expect(await runCli(home, 'login', 'remote', '--remove', '--json')).toMatchObject({
      stdout: '{"server":"remote","removed":true}\n',
    });
    expect((await runCli(home, 'login', 'remote', '--remove')).stderr).toBe(
      'code-executor: There was no login at remote.\n',
    );
  });

  test.each([
    [['nowhere'], 1, 'There is no remote server named nowhere; configured: remote.'],
    [['local'], 1, 'There is no remote server named local; configured: remote.'],
    [[], 2, 'error: give the name of a server, or --list'],
    [['remote', '--list', '--remove'], 2, 'error: give only one of --list and --remove'],
  ])('refuses %j', async (args, code, message) => {
    const ended = await runCli(home, 'login', ...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });
});
