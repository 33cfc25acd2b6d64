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

/** The status, and the client that the handler sees. */
async function ask({ url }: HttpServer, token?: string): Promise<[number, unknown?]> {
  // Headers are bytes: what is not ASCII goes as UTF-8.
  const value = Buffer.from(`Bearer ${token ?? ''}`).toString('latin1');
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: value } });
  const body = (await answer.json()) as { client?: unknown };
  return answer.status === 200 ? [200, body.client] : [answer.status];
}

describe('a server with clients', () => {
  test('tells its clients apart by their tokens, whatever their names are', async () => {
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

  test('refuses every request if there are no clients', async () => {
    server = await startHttpServer(groups, { clients: {} });
    expect([await ask(server), await ask(server, '')]).toEqual([[401], [401]]);
  });

  test('lets every program on this machine call with `false`, but no web page', async () => {
    server = await startHttpServer(groups, { clients: false });
    expect(await ask(server)).toEqual([200, null]);
    expect(await ask(server, 'any')).toEqual([200, null]);
    expect((await fetch(server.url, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
  });

  test('needs a token if the clients are undefined by mistake', async () => {
    server = await startHttpServer(groups, { clients: undefined } as unknown as ClientOptions);
    expect(await ask(server)).toEqual([401]);
  });

  test('gives no names to clients that share one token', async () => {
    const started = await startHttpServer(groups);
    server = started;
    expect(await ask(server, started.token)).toEqual([200, null]);
  });

  test.each(['', 'x', hashOf('a').toUpperCase(), `${hashOf('a')}0`])(
    'refuses %j as the hash of a token',
    async (hash) => {
      const problem = {
        code: 'invalid_argument',
        message: expect.stringContaining('client "a" is not 64 digits'),
      };
      await expect(startHttpServer(groups, { clients: { a: hash } })).rejects.toMatchObject(problem);
    },
  );
});
