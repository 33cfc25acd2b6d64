import { once } from 'node:events';
import { connect } from 'node:net';

import { freePort } from '@code-executor/contracts/testing';
import { afterEach, expect, test } from '@jest/globals';

import { type HttpServer, type RouteGroup, startOpenServer } from './index.js';

const figures: RouteGroup = {
  authentication: 'open',
  origins: 'none',
  body: 'none',
  routes: [{ method: 'GET', path: '/figures', handle: ({ isTrusted }) => ({ body: { isTrusted } }) }],
};

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(): Promise<HttpServer> {
  return (server = await startOpenServer([figures], { host: '0.0.0.0', port: await freePort() }));
}

/** The whole answer to these lines. */
async function answerTo({ url }: HttpServer, ...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  return answer;
}

test('answers any Host and any version of HTTP, and trusts nobody', async () => {
  const started = await start();
  for (const lines of [
    ['GET /figures HTTP/1.1', 'Host: cluster.example', 'Connection: close'],
    ['GET /figures HTTP/1.1', 'Host: 10.0.0.5:1', 'Authorization: Bearer x', 'Connection: close'],
    ['GET /figures HTTP/1.0'],
  ]) {
    expect(await answerTo(started, ...lines)).toMatch(/^HTTP\/1\.1 200 [^]*\{"isTrusted":false\}$/);
  }
});

test('refuses web pages, other paths and other methods', async () => {
  const { url } = await start();
  const local = url.replace('0.0.0.0', '127.0.0.1');
  expect((await fetch(`${local}/figures`, { headers: { origin: local } })).status).toBe(403);
  expect((await fetch(`${local}/none`)).status).toBe(404);
  const posted = await fetch(`${local}/figures`, { method: 'POST', body: 'text' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
});

test.each<[string, Partial<RouteGroup>]>([
  ['needs a token', { authentication: 'token' }],
  ['serves web pages', { origins: 'same-origin' }],
  ['takes bodies', { body: { type: 'json' } }],
  ['changes something', { routes: [{ method: 'DELETE', path: '/', handle: () => ({ body: '' }) }] }],
])('refuses a group that %s', async (_what, rules) => {
  const started = startOpenServer([figures, { ...figures, ...rules }], { host: '127.0.0.1', port: 0 });
  await expect(started).rejects.toMatchObject({
    code: 'invalid_argument',
    message: 'Without tokens a server takes open groups only, of GET routes that no web page may call.',
  });
});

test('says why it cannot listen', async () => {
  const port = Number(new URL((await start()).url).port);
  await expect(startOpenServer([figures], { host: '0.0.0.0', port })).rejects.toMatchObject({
    code: 'failed_precondition',
    message: `Port ${port} of 0.0.0.0 is in use; choose another.`,
  });
  await expect(startOpenServer([figures], { host: '192.0.2.1', port })).rejects.toMatchObject({
    code: 'failed_precondition',
    message: `Port ${port} of 192.0.2.1 cannot be listened on (EADDRNOTAVAIL); choose another.`,
  });
});
