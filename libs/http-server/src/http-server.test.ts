import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import { hashToken } from './client-check.js';
import { type HttpServerOptions, type Route, startHttpServer, type TokenServer } from './index.js';
import { programs } from './routes.test.kit.js';

/** Requests that reached a handler. */
let handled: unknown[] = [];
const routes: Route[] = [
  {
    method: 'POST',
    path: '/echo',
    handle({ body }) {
      handled.push(body);
      return { body: { body } };
    },
  },
  {
    method: 'GET',
    path: '/throw',
    handle() {
      throw new Error('secret');
    },
  },
  {
    method: 'GET',
    path: '/busy',
    handle() {
      throw new CodeExecutorError('unavailable', 'Busy.', {
        retryAfterMs: 1500,
        server: 'github',
        tool: 't',
      });
    },
  },
];

let server: TokenServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  handled = [];
});

async function start(options: HttpServerOptions = {}, served = routes) {
  return (server = await startHttpServer([programs(served)], options));
}

function post({ url, token }: TokenServer, body: string | Uint8Array, headers: Record<string, string> = {}) {
  return fetch(`${url}/echo`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  });
}

/** The status that a request gets which `fetch` would not send; the server has closed the connection then. */
async function statusOfRaw({ url }: { url: string }, lines: string[], body = ''): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

const errorOf = async (answer: Response) => ((await answer.json()) as { error: unknown }).error;

describe('startHttpServer', () => {
  test('serves a client that has the token, on a loopback address', async () => {
    const started = await start();
    expect(started.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(Buffer.from(started.token, 'base64url')).toHaveLength(32);
    const answer = await post(started, '{"a":1}');
    expect([answer.status, await answer.json()]).toEqual([200, { body: { a: 1 } }]);
    const other = await startHttpServer([programs(routes)]);
    expect(other.token).not.toBe(started.token);
    await other.close();
  });

  test('uses the token and the port that the options name', async () => {
    const first = await start();
    await first.close();
    const { url } = first;
    const again = await start({ token: 'mine', port: Number(new URL(url).port), host: 'localhost' });
    expect(again).toMatchObject({ url, token: 'mine' });
    expect((await post(again, '1')).status).toBe(200);
  });

  test.each<[string, (token: string) => string[]]>([
    ['no', () => []],
    ['an empty', () => ['Authorization: ']],
    ['a wrong', () => ['Authorization: Bearer x']],
    ['a longer', (token) => [`Authorization: Bearer ${token}x`]],
    ['a second blank before the', (token) => [`Authorization: Bearer  ${token}`]],
    ['another scheme before the', (token) => [`Authorization: Basic ${token}`]],
    ['a lower-case scheme before the', (token) => [`Authorization: bearer ${token}`]],
    ['only the', (token) => [`Authorization: ${token}`]],
    ['a cookie with the', (token) => [`Cookie: token=${token}`]],
    ['two headers with the', (token) => Array<string>(2).fill(`Authorization: Bearer ${token}`)],
  ])('answers with 401 to %s token', async (_what, headers) => {
    const started = await start();
    const { host } = new URL(started.url);
    const lines = [
      'POST /echo HTTP/1.1',
      `Host: ${host}`,
      'Connection: close',
      'Content-Type: application/json',
    ];
    const all = [...lines, 'Content-Length: 1', ...headers(started.token)];
    expect(await statusOfRaw(started, all, '1')).toBe(401);
    expect(handled).toEqual([]);
  });

  test('says with 401 how to send the token, even if no route matches', async () => {
    const { url, token } = await start();
    for (const path of ['/echo', '/none', `/echo?token=${token}`]) {
      const answer = await fetch(url + path);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await errorOf(answer)).toEqual({
        code: 'unauthenticated',
        message: 'The token is missing or wrong; send it as "Authorization: Bearer <token>".',
      });
    }
  });

  test.each<[number, string, (host: string) => string[]]>([
    [421, 'a foreign Host', () => ['POST /echo HTTP/1.1', 'Host: evil.example']],
    [421, 'a Host that begins like ours', (host) => ['POST /echo HTTP/1.1', `Host: ${host}.evil.example`]],
    [421, 'another port', () => ['POST /echo HTTP/1.1', 'Host: 127.0.0.1:1']],
    [421, 'no port', () => ['POST /echo HTTP/1.1', 'Host: 127.0.0.1']],
    [
      421,
      'the name localhost',
      (host) => ['POST /echo HTTP/1.1', `Host: ${host.replace('127.0.0.1', 'localhost')}`],
    ],
    [
      421,
      'the other loopback',
      (host) => ['POST /echo HTTP/1.1', `Host: ${host.replace('127.0.0.1', '[::1]')}`],
    ],
    [421, 'an empty Host', () => ['POST /echo HTTP/1.1', 'Host: ']],
    [400, 'no Host', () => ['POST /echo HTTP/1.1']],
    [400, 'two Hosts', (host) => ['POST /echo HTTP/1.1', `Host: ${host}`, 'Host: evil.example']],
    [400, 'HTTP/1.0', (host) => ['POST /echo HTTP/1.0', `Host: ${host}`]],
    [400, 'a URL as target', (host) => [`POST http://${host}/echo HTTP/1.1`, `Host: ${host}`]],
    [403, 'an Origin', (host) => ['POST /echo HTTP/1.1', `Host: ${host}`, `Origin: http://${host}`]],
    [403, 'the Origin null', (host) => ['POST /echo HTTP/1.1', `Host: ${host}`, 'Origin: null']],
    [403, 'another site', (host) => ['POST /echo HTTP/1.1', `Host: ${host}`, 'Sec-Fetch-Site: cross-site']],
    [415, 'a compressed body', (host) => ['POST /echo HTTP/1.1', `Host: ${host}`, 'Content-Encoding: gzip']],
    [405, 'OPTIONS', (host) => ['OPTIONS /echo HTTP/1.1', `Host: ${host}`]],
    [0, 'CONNECT', (host) => ['CONNECT evil.example:80 HTTP/1.1', `Host: ${host}`]],
    [200, 'what a program sends', (host) => ['POST /echo HTTP/1.1', `Host: ${host}`, 'Sec-Fetch-Site: none']],
  ])('answers with %i to %s', async (status, _what, head) => {
    const started = await start();
    const lines = head(new URL(started.url).host);
    const rest = ['Connection: close', 'Content-Type: application/json', 'Content-Length: 1'];
    const token = `Authorization: Bearer ${started.token}`;
    expect(await statusOfRaw(started, [...lines, ...rest, token], '1')).toBe(status);
    expect(handled).toHaveLength(status === 200 ? 1 : 0);
  });

  test.each<[number, string, string | Uint8Array, Record<string, string>?]>([
    [400, 'broken JSON', '{'],
    [400, 'no JSON', 'NaN'],
    [400, 'nothing', ''],
    [400, 'a byte order mark', '\u{feff}{}'],
    [400, 'UTF-16', new Uint8Array(Buffer.from('{"a":1}', 'utf16le'))],
    [400, 'no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    [400, 'a __proto__', '{"__proto__":{"a":1}}'],
    [400, 'nested deeper than 200', '['.repeat(100_000) + ']'.repeat(100_000)],
    [400, 'a constructor with a prototype', '{"constructor":{"prototype":{"a":1}}}'],
    [413, 'more than 1 MB', `"${'x'.repeat(1_000_000)}"`],
    [415, 'text', 'x', { 'content-type': 'text/plain' }],
    [415, 'a form', 'x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('answers with %i to a body that is %s', async (status, _what, body, headers = {}) => {
    const answer = await post(await start(), body, headers);
    expect(answer.status).toBe(status);
    expect(await errorOf(answer)).toEqual({ code: 'invalid_argument', message: expect.any(String) });
    expect(handled).toEqual([]);
  });

  test('accepts a body of 1 MB', async () => {
    const body = `"${'x'.repeat(999_998)}"`;
    expect((await post(await start(), body)).status).toBe(200);
  });

  test.each([
    ['127.0.0.1', 'http://127.0.0.1:', 421],
    ['localhost', 'http://127.0.0.1:', 404],
    ['::1', 'http://[::1]:', 421],
  ])(
    'accepts the address %s as Host, and localhost only if the options name it',
    async (host, prefix, statusOfLocalhost) => {
      const { url, token } = await start({ host });
      expect(url.startsWith(prefix)).toBe(true);
      const { hostname, port } = new URL(url);
      const statusWith = async (name: string) => {
        const headers = { authorization: `Bearer ${token}`, host: `${name}:${port}` };
        const asked = request({ host: hostname.replace(/[[\]]/g, ''), port, path: '/none', headers }).end();
        const [answer] = (await once(asked, 'response')) as [IncomingMessage];
        answer.resume();
        return answer.statusCode;
      };
      expect(await statusWith(hostname)).toBe(404);
      expect(await statusWith('LocalHost')).toBe(statusOfLocalhost);
    },
  );

  test('reports every request that is refused, and no other', async () => {
    const refused: unknown[] = [];
    const started = await startHttpServer([programs(routes)], {
      clients: { ci: hashToken('ci token'), dashboard: hashToken('other') },
      onRefused: (request) => void refused.push(request),
    });
    const { host } = new URL(started.url);
    const own = { ...started, token: 'ci token' };
    const lines = [`Host: ${host}`, 'Connection: close', 'Authorization: Bearer ci token'];
    expect((await post(own, '1')).status).toBe(200);
    expect((await fetch(`${started.url}/busy`, { headers: { authorization: 'Bearer other' } })).status).toBe(
      503,
    );
    expect(refused).toEqual([]);

    await post({ ...own, token: 'none' }, '1');
    await post(own, '{');
    await post(own, `"${'x'.repeat(1_000_000)}"`);
    await post(own, 'x', { 'content-type': 'text/plain' });
    await fetch(`${started.url}/none`, { headers: { authorization: 'Bearer other' } });
    await statusOfRaw(started, ['GET /echo HTTP/1.1', ...lines]);
    await statusOfRaw(started, ['GET /echo HTTP/1.1', 'Host: evil.example']);
    await statusOfRaw(started, ['GET /echo HTTP/1.1', ...lines, 'Origin: null']);
    await statusOfRaw(started, ['nonsense']);
    await statusOfRaw(started, ['GET /echo HTTP/1.1', ...lines, `X: ${'x'.repeat(20_000)}`]);
    const ip = { clientIp: '127.0.0.1' };
    const ci = { ...ip, clientId: 'ci' };
    expect(refused).toEqual([
      { httpStatus: 401, code: 'unauthenticated', ...ip },
      { httpStatus: 400, code: 'invalid_argument', ...ci },
      { httpStatus: 413, code: 'invalid_argument', ...ci },
      { httpStatus: 415, code: 'invalid_argument', ...ci },
      { httpStatus: 404, code: 'not_found', ...ip, clientId: 'dashboard' },
      { httpStatus: 405, code: 'invalid_argument', ...ci },
      { httpStatus: 421, code: 'permission_denied', ...ip },
      { httpStatus: 403, code: 'permission_denied', ...ip },
      { httpStatus: 400, code: 'invalid_argument', ...ip },
      { httpStatus: 431, code: 'invalid_argument', ...ip },
    ]);
    await started.close();
  });

  test('closes a connection after its thousandth request', async () => {
    const { url, token } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const connections: unknown[] = [];
    for (let sent = 0; sent < 1001; sent++) {
      const asked = request(url, { agent, headers: { authorization: `Bearer ${token}` } }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      connections.push(answer.headers.connection);
      await once(answer.resume(), 'close');
    }
    agent.destroy();
    expect(connections.indexOf('close')).toBe(999);
    expect(connections[1000]).toBe('keep-alive');
  });

  test('stops reading a body without an end', async () => {
    const started = await start();
    const lines = [`POST /echo HTTP/1.1`, `Host: ${new URL(started.url).host}`, 'Transfer-Encoding: chunked'];
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${started.token}`];
    const socket = connect(Number(new URL(started.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`);
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    // `once` would fail with the error that writing on gets.
    const closed = new Promise((resolve) => socket.on('close', resolve));
    let sent = 0;
    const send = () => {
      while (!socket.destroyed && sent++ < 200 && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(200);
  });

  test('names the routes with 404, and the methods with 405', async () => {
    const { url, token } = await start();
    const headers = { authorization: `Bearer ${token}` };
    const unknown = await fetch(`${url}/none?q=1`, { headers });
    expect([unknown.status, await errorOf(unknown)]).toEqual([
      404,
      { code: 'not_found', message: 'There is no such path; there is: POST /echo; GET /throw; GET /busy.' },
    ]);
    const wrong = await fetch(`${url}/echo?q=1`, { headers });
    expect([wrong.status, wrong.headers.get('allow'), await errorOf(wrong)]).toEqual([
      405,
      'POST',
      { code: 'invalid_argument', message: 'This path takes only POST.' },
    ]);
    expect((await fetch(`${url}/throw`, { method: 'HEAD', headers })).status).toBe(405);
    const malformed = await fetch(`${url}/%zz`, { headers });
    expect([malformed.status, await errorOf(malformed)]).toMatchObject([400, { code: 'invalid_argument' }]);
  });

  test('answers errors with their code, and keeps the cause of an unexpected one for the log', async () => {
    const logged: unknown[] = [];
    const log = (fields: object) => void logged.push(fields);
    const { url, token } = await start({ logger: { debug: log, info: log, warn: log, error: log } });
    const headers = { authorization: `Bearer ${token}` };
    const busy = await fetch(`${url}/busy`, { headers });
    expect([busy.status, busy.headers.get('retry-after'), await errorOf(busy)]).toEqual([
      503,
      '2',
      { code: 'unavailable', message: 'Busy.', server: 'github', tool: 't', retryAfterMs: 1500 },
    ]);
    expect(logged).toEqual([]);
    const broken = await fetch(`${url}/throw`, { headers });
    expect([broken.status, await errorOf(broken)]).toEqual([
      500,
      { code: 'internal', message: 'An internal error occurred; see the log.' },
    ]);
    expect(logged).toEqual([{ err: new Error('secret') }]);
  });

  test('says that a port is in use', async () => {
    const port = Number(new URL((await start()).url).port);
    await expect(startHttpServer([programs(routes)], { port })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `Port ${port} of 127.0.0.1 is in use; choose another.`,
    });
  });
});

describe('close', () => {
  /** A route that answers when the test allows it. */
  function held() {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let reached: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (reached = resolve));
    const route: Route = {
      method: 'GET',
      path: '/',
      async handle() {
        reached();
        await answered;
        return { body: 'late' };
      },
    };
    return { route, started, answer: () => answer() };
  }

  test('lets running requests end, and asks new ones to come again until then', async () => {
    const { route, started, answer } = held();
    const open = await start({}, [route]);
    const { url, token } = open;
    const headers = { authorization: `Bearer ${token}` };
    const running = fetch(url, { headers });
    await started;
    const closed = open.close();
    const refused = await fetch(url, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    answer();
    const late = await running;
    expect([await late.text(), late.headers.get('connection')]).toEqual(['late', 'close']);
    await closed;
    await expect(fetch(url, { headers })).rejects.toThrow('fetch failed');
    await open.close();
  });

  test('cuts requests that run for too long', async () => {
    const { route, started } = held();
    const open = await start({ drainMs: 50 }, [route]);
    const { url, token } = open;
    const running = fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const cut = expect(running).rejects.toThrow('fetch failed');
    await started;
    await open.close();
    await cut;
  });
});
