import { buffer } from 'node:stream/consumers';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type Answer, errorOf, localNetwork, textOf } from './local-network.test.kit.js';
import { resolveRedirect } from './redirect.js';

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

const network = async (answer: Answer) => {
  const local = await localNetwork(answer);
  close = local.close;
  return local;
};

/** Redirects each path by its name, `/<status>?<target>`, and returns the last request. */
const redirecting: Answer = (request, response) => {
  const { pathname, search } = new URL(request.url ?? '', 'http://x');
  const status = Number(pathname.slice(1));
  void buffer(request).then((body) => {
    if (status) response.writeHead(status, { location: decodeURIComponent(search.slice(1)) }).end('moved');
    else
      response.end(
        JSON.stringify({ method: request.method, headers: request.headers, body: body.toString() }),
      );
  });
};
const to = (target: string, status = 302, host = 'example.com') =>
  `http://${host}/${status}?${encodeURIComponent(target)}`;

describe('redirects', () => {
  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [303, 'PUT', 'GET'],
    [303, 'GET', 'GET'],
    [307, 'GET', 'GET'],
  ])('%i turns a %s into a %s', async (status, method, next) => {
    const local = await network(redirecting);
    const response = await local.fetch({
      url: to('/end', status),
      method,
      headers: [
        ['Content-Type', 'text/plain'],
        ['Content-Language', 'en'],
        ['X-Kept', '1'],
      ],
      ...(method !== 'GET' && { body: Buffer.from('data') }),
    });
    const seen = JSON.parse(textOf(response)) as {
      method: string;
      headers: Record<string, string>;
      body: string;
    };
    const becameGet = method !== next;
    expect(seen).toMatchObject({ method: next, body: becameGet || method === 'GET' ? '' : 'data' });
    expect(seen.headers['x-kept']).toBe('1');
    expect(seen.headers['content-type']).toBe(becameGet ? undefined : 'text/plain');
    expect(seen.headers['content-language']).toBe(becameGet ? undefined : 'en');
    expect(response.url).toBe('http://example.com/end');
  });

  test('303 leaves a HEAD a HEAD', async () => {
    const local = await network((request, response) => {
      if (request.url === '/end') response.setHeader('x-method', request.method ?? '').end();
      else response.writeHead(303, { location: '/end' }).end();
    });
    const { headers } = await local.fetch({ url: 'http://example.com/', method: 'HEAD' });
    expect(headers).toContainEqual(['x-method', 'HEAD']);
  });

  test.each([
    ['/end', true],
    ['http://example.com:80/end', true],
    ['http://a.example.com/end', false],
    ['http://example.com:81/end', false],
  ])('to %s keep secret headers: %s', async (target, kept) => {
    const local = await network(redirecting);
    const response = await local.fetch(
      {
        url: to(target),
        headers: [
          ['Authorization', 'Bearer t'],
          ['Cookie', 'a=b'],
          ['X-Other', '1'],
        ],
      },
      ['example.com', 'example.com:81', 'a.example.com'],
    );
    const { headers } = JSON.parse(textOf(response)) as { headers: Record<string, string> };
    expect([headers['authorization'], headers['cookie']]).toEqual(
      kept ? ['Bearer t', 'a=b'] : [undefined, undefined],
    );
    expect(headers['x-other']).toBe('1');
  });

  test('are followed five times, and not a sixth time', async () => {
    const chain = (length: number): string =>
      length === 0 ? '/end' : `/302?${encodeURIComponent(chain(length - 1))}`;
    const local = await network(redirecting);
    expect((await local.fetch({ url: `http://example.com${chain(5)}` })).status).toBe(200);
    expect(await errorOf(local.fetch({ url: `http://example.com${chain(6)}` }))).toMatchObject({
      code: 'unavailable',
      message: 'Host example.com redirects further after 5 redirects; ask for the last address directly.',
    });
  });

  test('in a circle end with an error', async () => {
    const local = await network((_request, response) => response.writeHead(302, { location: '/' }).end());
    expect((await errorOf(local.fetch({ url: 'http://example.com/' }))).code).toBe('unavailable');
  });

  test.each([
    ['a host that is not granted', 'http://evil.org/', 'Host evil.org is not among'],
    ['another port', 'http://example.com:8080/', 'Host example.com:8080 is not among'],
    [
      'a private host that is granted',
      'http://inside.example.com/',
      'Host inside.example.com is not reached',
    ],
    ['a private address', 'http://169.254.169.254/', 'Host 169.254.169.254 is not'],
    ['loopback, spelt strangely', '//0x7f.1/', 'Host 127.0.0.1 is not'],
    ['a file', 'file:///etc/passwd', 'fetch reaches http: and https: URLs only, not file:.'],
    ['data', 'data:text/plain,x', 'fetch reaches http: and https: URLs only, not data:.'],
    [
      'a URL with a password',
      'http://a:b@example.com/',
      'The URL for example.com holds a user name or password',
    ],
  ])('to %s are checked again', async (_name, target, message) => {
    const local = await network(redirecting);
    local.addresses.set('inside.example.com', ['10.0.0.1']);
    const allow = ['example.com', 'inside.example.com', '127.0.0.1', '169.254.169.254'];
    const error = await errorOf(local.fetch({ url: to(target) }, allow));
    expect(error.code).toBe('permission_denied');
    expect(error.message).toContain(message);
    expect(local.dialled).toEqual(['93.184.215.14:80']);
  });

  test('to something that is not a URL fail', async () => {
    const local = await network(redirecting);
    expect((await errorOf(local.fetch({ url: to('http://[') }))).message).toBe(
      'Host example.com redirects to something that is not a URL.',
    );
  });

  test('from https to http are refused', () => {
    const from = new URL('https://example.com/a');
    expect(() => resolveRedirect('http://example.com/b', from)).toThrow(
      expect.objectContaining({ code: 'permission_denied' }),
    );
    expect(resolveRedirect('b', from)).toBe('https://example.com/b');
    expect(resolveRedirect('https://example.com/b', new URL('http://example.com/'))).toBe(
      'https://example.com/b',
    );
  });

  test('without a location are answers, as other statuses are', async () => {
    const local = await network((request, response) =>
      request.url === '/304'
        ? response.writeHead(304, { location: '/x' }).end()
        : response.writeHead(302).end('body'),
    );
    expect((await local.fetch({ url: 'http://example.com/304' })).status).toBe(304);
    const response = await local.fetch({ url: 'http://example.com/' });
    expect([response.status, textOf(response)]).toEqual([302, 'body']);
  });

  test('with an endless body are followed without reading it', async () => {
    const local = await network((request, response) => {
      if (request.url === '/end') {
        response.end('end');
        return;
      }
      response.writeHead(302, { location: '/end' });
      const pump = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', pump);
      pump();
    });
    expect(textOf(await local.fetch({ url: 'http://example.com/' }))).toBe('end');
  });
});
