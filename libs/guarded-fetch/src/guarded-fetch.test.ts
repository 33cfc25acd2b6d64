import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';

import { afterEach, describe, expect, test } from '@jest/globals';

import { createGuardedFetch } from './index.js';
import {
  type Answer,
  closeAll,
  errorOf,
  listen,
  localNetwork,
  publicAddress,
  textOf,
  toClose,
} from './local-network.test.kit.js';

afterEach(closeAll);

const network = async (answer: Answer) => toClose(await localNetwork(answer));

/** Answers what it was asked, as JSON. */
const echo: Answer = (request, response) => {
  void buffer(request).then((body) => {
    response.setHeader('content-type', 'application/json');
    const { method, url, rawHeaders } = request;
    response.end(JSON.stringify({ method, url, rawHeaders, body: body.toString() }));
  });
};

interface Echo {
  method: string;
  url: string;
  rawHeaders: string[];
  body: string;
}

describe('a request', () => {
  test('reaches a granted host at the address that was checked', async () => {
    const local = await network((request, response) => {
      response.writeHead(201, 'Made', [
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-Host', request.headers.host ?? ''],
      ]);
      response.end('grüß');
    });
    const response = await local.fetch({ url: 'http://API.example.com:8080/a/b?c=d#e' }, [
      'api.example.com:8080',
    ]);
    expect(response).toMatchObject({
      url: 'http://api.example.com:8080/a/b?c=d#e',
      status: 201,
      statusText: 'Made',
    });
    expect(textOf(response)).toBe('grüß');
    expect(response.headers).toEqual(
      expect.arrayContaining([
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
        ['X-Host', 'api.example.com:8080'],
      ]),
    );
    expect(local.dialled).toEqual([`${publicAddress}:8080`]);
  });

  test('carries method, headers and body, without headers of the connection', async () => {
    const { fetch } = await network(echo);
    const response = await fetch({
      url: 'http://example.com/x?y=%20z',
      method: 'post',
      headers: [
        ['X-One', '1'],
        ['x-one', 'ü'],
        ['Host', 'evil.example'],
        ['Content-Length', '5'],
        ['Transfer-Encoding', 'chunked'],
        ['Connection', 'keep-alive, X-Hop'],
        ['X-Hop', 'gone'],
        ['Proxy-Authorization', 'secret'],
        ['Proxy-Connection', 'x'],
        ['TE', 'trailers'],
        ['Trailer', 'x'],
        ['Upgrade', 'websocket'],
        ['Keep-Alive', '5'],
        ['Expect', '100-continue'],
        ['Accept-Encoding', 'zstd'],
        ['Authorization', 'Bearer t'],
      ],
      body: Buffer.from('hello'),
    });
    const { rawHeaders, ...rest } = JSON.parse(textOf(response)) as Echo;
    expect(rest).toEqual({ method: 'POST', url: '/x?y=%20z', body: 'hello' });
    const pairs = rawHeaders.flatMap((name, i) =>
      i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1] ?? ''}`] : [],
    );
    expect(pairs.sort()).toEqual([
      'accept-encoding: gzip, deflate, br',
      'accept: */*',
      'authorization: Bearer t',
      'connection: keep-alive',
      'content-length: 5',
      'host: example.com',
      'user-agent: code-executor',
      'x-one: 1',
      'x-one: ü',
    ]);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('may be a %s', async (method) => {
    const { fetch } = await network(echo);
    expect((await fetch({ url: 'http://example.com/', method })).status).toBe(200);
  });

  test.each<[string, Parameters<Awaited<ReturnType<typeof localNetwork>>['fetch']>[0]]>([
    ['CONNECT', { url: 'http://example.com/', method: 'CONNECT' }],
    ['TRACE', { url: 'http://example.com/', method: 'TRACE' }],
    ['a method with a line break', { url: 'http://example.com/', method: 'GET / HTTP/1.1\r\nX: y' }],
    ['a GET with a body', { url: 'http://example.com/', body: Buffer.from('x') }],
    [
      'a body over 1 MiB',
      { url: 'http://example.com/', method: 'POST', body: Buffer.alloc(1024 * 1024 + 1) },
    ],
    ['a line break in a header', { url: 'http://example.com/', headers: [['X-A', 'b\r\nX-C: d']] }],
    ['a bare CR in a header', { url: 'http://example.com/', headers: [['X-A', 'b\rc']] }],
    ['a NUL in a header', { url: 'http://example.com/', headers: [['X-A', 'b\0']] }],
    ['a letter beyond a byte in a header', { url: 'http://example.com/', headers: [['X-A', 'č']] }],
    ['a line break in a header name', { url: 'http://example.com/', headers: [['X-A: b\r\nX-C', 'd']] }],
    ['an empty header name', { url: 'http://example.com/', headers: [['', 'd']] }],
    ['101 headers', { url: 'http://example.com/', headers: Array.from({ length: 101 }, () => ['a', 'b']) }],
    ['17 KB of headers', { url: 'http://example.com/', headers: [['a', 'b'.repeat(17_000)]] }],
    ['a line break in the URL', { url: 'http://example.com/a\r\nX: y' }],
    ['a tab in the URL', { url: 'http://exam\tple.com/' }],
    ['a relative URL', { url: '/path' }],
    ['an empty URL', { url: '' }],
    ['a URL with a broken host', { url: 'http://exa mple.com/' }],
    ['a URL of 9 KB', { url: `http://example.com/${'x'.repeat(9000)}` }],
  ])('is refused before anything is sent: %s', async (_name, request) => {
    const local = await network(echo);
    expect((await errorOf(local.fetch(request, ['*.com', 'example.com']))).code).toBe('invalid_argument');
    expect([local.looked, local.dialled]).toEqual([[], []]);
  });

  test.each([
    'file:///etc/passwd',
    'gopher://example.com/',
    'ftp://example.com/',
    'data:text/plain,x',
    'unix:/var/run/docker.sock',
    'ws://example.com/',
    'javascript:alert(1)',
    'blob:http://example.com/x',
    'http://user@example.com/',
    'http://user:password@example.com/',
    'http://:password@example.com/',
  ])('is denied: %s', async (url) => {
    const local = await network(echo);
    const error = await errorOf(local.fetch({ url }));
    expect(error.code).toBe('permission_denied');
    expect(error.message).not.toContain('password@');
    expect([local.looked, local.dialled]).toEqual([[], []]);
  });

  test('says which hosts are granted', async () => {
    const local = await network(echo);
    expect(
      (await errorOf(local.fetch({ url: 'http://evil.example:81/' }, ['a.example', 'b.example:1']))).message,
    ).toBe(
      'Host evil.example:81 is not among those that this execution may reach (a.example, b.example:1); add it to permissions.net.',
    );
    const many = Array.from({ length: 50 }, (_, i) => `${'h'.repeat(300)}${i}`);
    expect((await errorOf(local.fetch({ url: 'http://evil.example/' }, many))).message.length).toBeLessThan(
      1500,
    );
  });

  test('names the host, not the address, over TLS, and trusts no certificate that it cannot check', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    server.on('tlsClientError', () => undefined);
    const port = await listen(server);
    const dialled: string[] = [];
    const fetcher = createGuardedFetch({
      lookup: () => Promise.resolve([publicAddress]),
      connect: (address, to) => {
        dialled.push(`${address}:${to}`);
        return connect(port, '127.0.0.1');
      },
    });
    toClose(fetcher);
    const request = { url: 'https://secure.example.com/', method: 'GET', headers: [] };
    const error = await errorOf(fetcher.fetch(request, { allow: ['secure.example.com'] }));
    expect(error.code).toBe('unavailable');
    expect(error.message).toMatch(
      /^The request to host secure\.example\.com failed: the connection broke \([A-Z0-9_]+\)\.$/,
    );
    expect(names).toEqual(['secure.example.com']);
    expect(dialled).toEqual([`${publicAddress}:443`]);
  });
});
