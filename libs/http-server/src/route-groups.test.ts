import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import {
  type AnsweredRequest,
  type HttpServer,
  type RefusedRequest,
  type Route,
  type RouteGroup,
  startHttpServer,
} from './index.js';
import { programs } from './routes.test.kit.js';

const clients = Object.fromEntries(
  ['ci', 'other'].map((id) => [id, createHash('sha256').update(`${id} token`).digest('hex')]),
);

/** Answers with what the handler sees. */
const seen = (path: string, method: Route['method'] = 'GET'): Route => ({
  method,
  path,
  handle: ({ clientId = null, isTrusted, body = null }) => ({ body: { clientId, isTrusted, body } }),
});

let server: HttpServer;
const refused: RefusedRequest[] = [];
const answered: AnsweredRequest[] = [];
afterEach(async () => {
  await server.close();
  refused.length = 0;
  answered.length = 0;
});

async function start(...groups: RouteGroup[]): Promise<void> {
  server = await startHttpServer(groups, {
    clients,
    onRefused: (each) => refused.push(each),
    onAnswered: (each) => answered.push(each),
  });
}

interface Asked {
  token?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Status, headers and body; `fetch` would not send every header. */
async function ask(path: string, { token, method = 'GET', headers = {}, body }: Asked = {}) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const asked = request(server.url + path, { method, headers: { ...authorization, ...headers } }).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, text };
}

const json = { 'content-type': 'application/json' };

describe('authentication', () => {
  test('is required by some groups, and visible to the handlers of the others', async () => {
    await start(programs([seen('/closed')]), programs([seen('/open')], { authentication: 'open' }));
    expect((await ask('/closed')).status).toBe(401);
    expect((await ask('/none')).status).toBe(401);
    const answers = [
      await ask('/closed', { token: 'ci token' }),
      await ask('/open', { token: 'other token' }),
    ];
    expect(answers.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { clientId: 'ci', isTrusted: true, body: null },
      { clientId: 'other', isTrusted: true, body: null },
    ]);
    for (const asked of [{}, { token: 'wrong' }]) {
      const answer = await ask('/open', asked);
      expect(JSON.parse(answer.text)).toEqual({ clientId: null, isTrusted: false, body: null });
      expect(answer.headers.connection).toBe('close');
    }
  });
});

describe('origins', () => {
  const own = () => server.url;
  const other = () => 'http://evil.example';
  const byProgram = [{}, { 'sec-fetch-site': 'none' }];

  test('`none` refuses every request of a web page', async () => {
    await start(programs([seen('/')]));
    for (const headers of byProgram)
      expect((await ask('/', { token: 'ci token', headers })).status).toBe(200);
    for (const headers of [
      { origin: own() },
      { origin: other() },
      { origin: 'null' },
      { origin: own(), 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await ask('/', { token: 'ci token', headers });
      expect([headers, answer.status]).toEqual([headers, 403]);
      expect(answer.text).toContain('Web pages may not call this server; call it from a program.');
    }
  });

  test('`same-origin` accepts the pages of this listener, and no others', async () => {
    await start(programs([seen('/')], { origins: 'same-origin' }));
    for (const headers of [
      ...byProgram,
      { 'sec-fetch-site': 'same-origin' },
      { origin: own(), 'sec-fetch-site': 'same-origin' },
      // Browsers leave out the site if the page came over plain HTTP from another machine.
      { origin: own() },
    ]) {
      const answer = await ask('/', { token: 'ci token', headers });
      expect([headers, answer.status]).toEqual([headers, 200]);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    for (const headers of [
      { origin: other() },
      { origin: 'null' },
      { origin: '' },
      { origin: own().replace('http:', 'https:') },
      { origin: own().replace(/\d+$/, '1') },
      { origin: own().replace('127.0.0.1', 'localhost') },
      { origin: `${own()}/` },
      { origin: own(), 'sec-fetch-site': 'same-site' },
      { origin: own(), 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: other(), 'sec-fetch-site': 'same-origin' },
    ]) {
      const answer = await ask('/', { token: 'ci token', headers });
      expect([headers, answer.status]).toEqual([headers, 403]);
      expect(answer.text).toContain('Only web pages that this server itself serves may call it.');
    }
  });

  test('`same-origin` accepts pages behind a proxy that ends TLS only if the hosts have names', async () => {
    server = await startHttpServer([programs([seen('/')], { origins: 'same-origin' })], {
      clients,
      hostNames: ['box.example'],
    });
    const statusOf = async (host: string, origin: string, site = 'same-origin') =>
      (await ask('/', { token: 'ci token', headers: { host, origin, 'sec-fetch-site': site } })).status;
    for (const [host, origin] of [
      ['box.example', 'https://box.example'],
      ['box.example:8443', 'https://box.example:8443'],
      ['box.example:8080', 'http://box.example:8080'],
    ] as const)
      expect([origin, await statusOf(host, origin)]).toEqual([origin, 200]);
    for (const [host, origin] of [
      ['box.example', 'https://box.example:8443'],
      ['box.example', 'https://evil.example'],
      ['box.example', 'HTTPS://box.example'],
      ['box.example', 'https://box.example, https://evil.example'],
    ] as const)
      expect([origin, await statusOf(host, origin)]).toEqual([origin, 403]);
    // The page came over plain HTTP, and what it calls over TLS.
    expect(await statusOf('box.example', 'http://box.example', 'cross-site')).toBe(403);
    expect(await statusOf('evil.example', 'https://evil.example')).toBe(421);
  });

  test('`same-origin` replaces neither the check of the Host nor the token', async () => {
    await start(programs([seen('/')], { origins: 'same-origin' }));
    const rebound = { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' };
    expect((await ask('/', { token: 'ci token', headers: rebound })).status).toBe(421);
    expect((await ask('/', { headers: { origin: own() } })).status).toBe(401);
  });

  test('no web page may call a path without a route', async () => {
    await start(programs([seen('/')], { origins: 'same-origin' }));
    const headers = { origin: own(), 'sec-fetch-site': 'same-origin' };
    expect((await ask('/none', { token: 'ci token', headers })).status).toBe(403);
  });
});

describe('the body rules', () => {
  test('limit the bytes for each group', async () => {
    const small = { body: { type: 'json', maxBytes: 10 } } as const;
    await start(programs([seen('/small', 'POST')], small), programs([seen('/large', 'POST')]));
    const post = (path: string, body: string) =>
      ask(path, { token: 'ci token', method: 'POST', headers: json, body });
    const body = '"12345678"';
    expect(JSON.parse((await post('/small', body)).text)).toMatchObject({ body: '12345678' });
    const refusal = await post('/small', `${body} `);
    expect([refusal.status, refusal.text]).toEqual([
      413,
      expect.stringContaining('The body is too large; send at most 10 bytes.'),
    ]);
    expect((await post('/large', `"${'x'.repeat(1000)}"`)).status).toBe(200);
  });

  test('refuse bodies if the group takes none', async () => {
    await start(programs([seen('/', 'POST')], { body: 'none' }));
    const asked = { token: 'ci token', method: 'POST' };
    for (const headers of [json, {}, { 'content-type': 'text/plain' }]) {
      const { status, text } = await ask('/', { ...asked, headers, body: '{}' });
      expect([status, text]).toEqual([415, expect.stringContaining('This path takes no body; send none.')]);
    }
    expect((await ask('/', { ...asked, headers: { 'content-length': '0' } })).status).toBe(200);
  });

  test('leave bodies unread if no route matches', async () => {
    await start(programs([seen('/')]));
    const asked = { token: 'ci token', method: 'POST', headers: json, body: '{' };
    expect((await ask('/none', asked)).status).toBe(404);
    expect((await ask('/', asked)).status).toBe(405);
  });
});

describe('a rate limit', () => {
  test('counts each client and each route of its group separately, and names the remedy', async () => {
    const rateLimit = (id?: string) =>
      id === 'other' ? false : { maxRequests: 1, remedy: 'ask the operator' };
    await start(programs([seen('/a'), seen('/b')], { rateLimit }), programs([seen('/free')]));
    const statusOf = async (path: string, token = 'ci token') => (await ask(path, { token })).status;
    expect([await statusOf('/a'), await statusOf('/a'), await statusOf('/b')]).toEqual([200, 429, 200]);
    expect([await statusOf('/a', 'other token'), await statusOf('/a', 'other token')]).toEqual([200, 200]);
    expect([await statusOf('/free'), await statusOf('/free')]).toEqual([200, 200]);
    expect((await ask('/a', { token: 'ci token' })).text).toContain(
      'More than 1 requests came too fast; wait for Retry-After, or ask the operator.',
    );
  });
});

describe('startHttpServer', () => {
  test('sends JSON, or text and bytes as they are, with the headers of handler and group', async () => {
    const headers = { 'cache-control': 'no-store' };
    const page = { 'content-type': 'text/html; charset=utf-8', 'x-count': 3 };
    await start(
      programs(
        [
          { method: 'GET', path: '/json', handle: () => ({ body: null }) },
          { method: 'GET', path: '/text', handle: () => ({ status: 201, body: 'text' }) },
          { method: 'GET', path: '/page', handle: () => ({ headers: page, body: Buffer.from('<p>') }) },
        ],
        { headers },
      ),
    );
    const tell = async (path: string) => {
      const answer = await ask(path, { token: 'ci token' });
      return [answer.status, answer.headers['content-type'], answer.headers['x-count'], answer.text];
    };
    expect(await tell('/json')).toEqual([200, 'application/json; charset=utf-8', undefined, 'null']);
    expect(await tell('/text')).toEqual([201, 'text/plain; charset=utf-8', undefined, 'text']);
    expect(await tell('/page')).toEqual([200, 'text/html; charset=utf-8', '3', '<p>']);
    expect((await ask('/json')).headers['cache-control']).toBe('no-store');
  });

  test('reports answers with their routes, and refusals unless the handler records them', async () => {
    const denied: Route = {
      method: 'GET',
      path: '/denied',
      handle({ url, recordedByHandler }) {
        if (url.endsWith('?recorded')) recordedByHandler();
        throw new CodeExecutorError('permission_denied', 'No.');
      },
    };
    await start(programs([seen('/ok'), denied]));
    for (const path of ['/ok?q=1', '/none', '/denied', '/denied?recorded'])
      await ask(path, { token: 'ci token' });
    expect(answered.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/ok', 200],
      ['GET', undefined, 404],
      ['GET', '/denied', 403],
      ['GET', '/denied', 403],
    ]);
    const client = { clientId: 'ci', clientIp: '127.0.0.1' };
    expect(refused).toEqual([
      { ...client, httpStatus: 404, code: 'not_found' },
      { ...client, httpStatus: 403, code: 'permission_denied' },
    ]);
  });

  test('aborts the signal of a handler when its client hangs up', async () => {
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<void>((resolve) => (onAbort = resolve));
    let onStart: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (onStart = resolve));
    const waiting: Route = {
      method: 'GET',
      path: '/',
      async handle({ signal }) {
        signal.addEventListener('abort', onAbort);
        onStart();
        await aborted;
        return { body: 'late' };
      },
    };
    await start(programs([waiting]));
    const asked = request(server.url, { headers: { authorization: 'Bearer ci token' } }).end();
    asked.on('error', () => undefined);
    await started;
    asked.destroy();
    await aborted;
  });
});
