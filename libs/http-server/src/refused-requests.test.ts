import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, test } from '@jest/globals';

import { hashToken } from './client-check.js';
import { startHttpServer } from './index.js';
import { programs } from './routes.test.kit.js';
import { handled, routes, start, post, errorOf, statusOfRaw } from './test-server.test.support.js';

describe('startHttpServer', () => {
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
});
