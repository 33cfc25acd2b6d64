import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CallerEvent, LoginEvent } from '@code-executor/contracts';
import { afterEach, beforeEach } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import { patient, type RunningServer, startHttpServer } from '../fixture-servers.test.support.js';
import { beginLogin } from '../index.js';
import type { HttpServer } from '../options.js';

/** What each test has for itself: a remote server that wants a login, and a folder for it. */
export const own: { server: HttpServer; folder: string; logged: string[] } = {
  server: { url: '' },
  folder: '',
  logged: [],
};
let running: RunningServer;
let pools: ClientPool[] = [];
let events: (CallerEvent | LoginEvent)[] = [];

beforeEach(async () => {
  running = await startHttpServer('oauth-server.mjs', 'http');
  own.server = { url: running.server.url };
  own.folder = join(await mkdtemp(join(tmpdir(), 'login-')), 'oauth');
  own.logged = [];
  events = [];
});
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  pools = [];
  await running.close();
  await rm(own.folder, { recursive: true, force: true });
});

export const at = (path: string) => new URL(path, own.server.url);

/** Changes how the servers behave; see the fixture. */
export const set = (settings: object) =>
  fetch(at('/settings'), { method: 'POST', body: JSON.stringify(settings) });

/** What they were asked since the last time. */
export const seen = async () =>
  (await (await fetch(at('/log'))).json()) as Record<string, Record<string, unknown>>[];

const note = (fields: object, message: string) => void own.logged.push(JSON.stringify([fields, message]));

export function openPool(more: Partial<HttpServer> = {}): ClientPool {
  const pool = new ClientPool({
    servers: { remote: { ...own.server, ...more } },
    ...patient,
    loginFolder: own.folder,
    logger: { debug: note, info: note, warn: note, error: note },
    audit: (event) => void events.push(event),
  });
  pools.push(pool);
  return pool;
}

export const begin = (more: Partial<HttpServer> = {}, timeoutMs = 60_000) =>
  beginLogin({ name: 'remote', server: { ...own.server, ...more }, folder: own.folder, timeoutMs });

/** Does what a browser does whose person agrees. */
export async function visit(url: string): Promise<Response> {
  const redirected = await fetch(url, { redirect: 'manual' });
  return fetch(redirected.headers.get('location') ?? '');
}

export async function logIn(more: Partial<HttpServer> = {}): Promise<{ scopes: string[] }> {
  const { url, finished } = await begin(more);
  await visit(url);
  return finished;
}

/** What pools have recorded of logins. */
export const logins = () => events.flatMap((event) => (event.type === 'login' ? [event.action] : []));

/** The file with the login. */
export async function stored(): Promise<string> {
  const [file = ''] = (await readdir(own.folder)).filter((name) => name.endsWith('.json'));
  return join(own.folder, file);
}
