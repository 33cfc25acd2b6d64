import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { environmentOf } from '../server-under-test/home.js';

const fixture = fileURLToPath(
  new URL('../../../../libs/client-pool/fixtures/oauth-server.mjs', import.meta.url),
);
const cli = fileURLToPath(new URL('../../../cli/bin/code-executor.js', import.meta.url));

/** A remote server that wants a login, with its authorization server. */
export interface OAuthServer {
  url: string;
  /** Changes how they behave; see the fixture. */
  set(settings: object): Promise<void>;
  /** What they were asked since the last time. */
  log(): Promise<Record<string, Record<string, unknown>>[]>;
  close(): void;
}

export async function startOAuthServer(settings: object = {}): Promise<OAuthServer> {
  const child = spawn(process.execPath, [fixture], { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await firstLine(child);
  const set = async (changed: object) => {
    await fetch(new URL('/settings', url), { method: 'POST', body: JSON.stringify(changed) });
  };
  await set(settings);
  return {
    url,
    set,
    log: async () => (await fetch(new URL('/log', url))).json() as ReturnType<OAuthServer['log']>,
    close: () => void child.kill('SIGKILL'),
  };
}

/** Logs in with the command, and does what a browser does; returns the exit code. */
export async function logIn(home: string, server: string, env: Record<string, string> = {}): Promise<number> {
  const options = { cwd: home, env: environmentOf(home, env) };
  const child = spawn(process.execPath, [cli, 'login', server], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit') as Promise<[number]>;
  const answer = await fetch(await firstLine(child), { redirect: 'manual' });
  await fetch(answer.headers.get('location') ?? '');
  const [code] = await ended;
  return code;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: stdout as NodeJS.ReadableStream }), 'line')) as [
    string,
  ];
  return line;
}
