import { createHash } from 'node:crypto';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type ClientOptions, type HttpServer, startHttpServer } from './index.js';
import { programs } from './routes.test.kit.js';

const groups = [
  programs([{ method: 'GET', path: '/', handle: ({ clientId = null }) => ({ body: { client: clientId } }) }]),
];
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** The status, and who the route heard it was. */
async function ask({ url }: HttpServer, token?: string): Promise<[number, unknown?]> {
  // Headers are bytes: what is not ASCII goes as UTF-8.
  const value = Buffer.from(`Bearer ${token ?? ''}`).toString('latin1');
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: value } });
  const body = (await answer.json()) as { client?: unknown };
  return answer.status === 200 ? [200, body.client] : [answer.status];
}

describe('clients', () => {
  test('are told by their tokens, whatever they are called', async () => {
    server = await startHttpServer(groups, {
      clients: { first: hashOf('one'), constructor: hashOf('zwölf'), third: hashOf('three') },
    });
    expect(server).not.toHaveProperty('token');
    expect(await ask(server, 'one')).toEqual([200, 'first']);
    expect(await ask(server, 'zwölf')).toEqual([200, 'constructor']);
    expect(await ask(server, 'three')).toEqual([200, 'third']);
    for (const wrong of [undefined, '', 'One', 'onee', hashOf('one'), `sha256:${hashOf('one')}`]) {
      expect(await ask(server, wrong)).toEqual([401]);
    }
  });

  test('that there are none of open nothing', async () => {
    server = await startHttpServer(groups, { clients: {} });
    expect([await ask(server), await ask(server, '')]).toEqual([[401], [401]]);
  });

  test('false lets everybody on this machine ask, but no web page', async () => {
    server = await startHttpServer(groups, { clients: false });
    expect(await ask(server)).toEqual([200, null]);
    expect(await ask(server, 'any')).toEqual([200, null]);
    expect((await fetch(server.url, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  });

  test('left undefined by a mistake are no open door', async () => {
    server = await startHttpServer(groups, { clients: undefined } as unknown as ClientOptions);
    expect(await ask(server)).toEqual([401]);
  });

  test('with one token for all, nobody has a name', async () => {
    const started = await startHttpServer(groups);
    server = started;
    expect(await ask(server, started.token)).toEqual([200, null]);
  });

  test.each(['', 'x', hashOf('a').toUpperCase(), `${hashOf('a')}0`])('%j is no hash', async (hash) => {
    const problem = {
      code: 'invalid_argument',
      message: expect.stringContaining('client "a" is not 64 digits'),
    };
    await expect(startHttpServer(groups, { clients: { a: hash } })).rejects.toMatchObject(problem);
  });
});
