import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';

import { afterEach, describe, expect, test } from '@jest/globals';

import { createGuardedFetch, type GuardedFetchOptions } from './index.js';
import {
  type Answer,
  closeAll,
  errorOf,
  listen,
  localNetwork,
  publicAddress,
  toClose,
} from './local-network.test.kit.js';

afterEach(closeAll);

const network = async (answer: Answer, options?: GuardedFetchOptions) =>
  toClose(await localNetwork(answer, options));

const hello: Answer = (_request, response) => response.end('hello');

describe('the error of a failed request', () => {
  const failing = (options: GuardedFetchOptions) => {
    const fetcher = createGuardedFetch({ lookup: () => Promise.resolve([publicAddress]), ...options });
    toClose(fetcher);
    return errorOf(
      fetcher.fetch(
        { url: 'http://api.example.com/', method: 'GET', headers: [] },
        { allow: ['api.example.com'] },
      ),
    );
  };

  test('says that a name does not resolve', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND via 10.0.0.53'), { code: 'ENOTFOUND' });
    const unavailable = {
      code: 'unavailable',
      message: 'The request to host api.example.com failed: the name does not resolve.',
      retryAfterMs: 1000,
    };
    expect(await failing({ lookup: () => Promise.reject(cause) })).toMatchObject(unavailable);
    expect(await failing({ lookup: () => Promise.resolve([]) })).toMatchObject(unavailable);
  });

  test('says that a connection was refused, without the address', async () => {
    const closed = createServer();
    const port = await listen(closed);
    closed.close();
    await once(closed, 'close');
    expect(await failing({ connect: () => connect(port, '127.0.0.1') })).toMatchObject({
      code: 'unavailable',
      message: 'The request to host api.example.com failed: it refuses the connection.',
    });
  });

  test('is not given if a further address answers', async () => {
    const local = await network(hello);
    const tried: string[] = [];
    const fetcher = createGuardedFetch({
      lookup: () => Promise.resolve(['2606:2800:21f::1', publicAddress]),
      connect: (address) => {
        tried.push(address);
        const socket = connect(local.realPort, '127.0.0.1');
        if (tried.length === 1) socket.destroy(Object.assign(new Error('x'), { code: 'ENETUNREACH' }));
        return socket;
      },
    });
    toClose(fetcher);
    const request = { url: 'http://example.com/', method: 'GET', headers: [] };
    expect((await fetcher.fetch(request, { allow: ['example.com'] })).status).toBe(200);
    expect(tried).toEqual(['2606:2800:21f::1', publicAddress]);
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['no answer at all', (socket) => socket.destroy(), 'it ended the connection'],
    [
      'an answer cut short',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
      'it ended the connection',
    ],
    ['nonsense', (socket) => socket.end('220 ftp.example.com ready\r\n'), 'its answer is not HTTP'],
    [
      '20 KB of headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
      'its answer has too many headers',
    ],
  ])('describes a server that sends %s', async (_name, answer, description) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    const port = await listen(server);
    expect(await failing({ connect: () => connect(port, '127.0.0.1') })).toMatchObject({
      code: 'unavailable',
      message: `The request to host api.example.com failed: ${description}.`,
    });
  });
});

describe('time and cancellation', () => {
  const silent: Answer = () => undefined;
  const dripping: Answer = (_request, response) => {
    response.write('x');
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const forever = new Promise<string[]>(() => undefined);

  test.each<[string, Answer, GuardedFetchOptions]>([
    ['never answers', silent, {}],
    ['sends its body byte by byte', dripping, {}],
    [
      'redirects and then never answers',
      (request, response) => {
        if (request.url === '/') response.writeHead(302, { location: '/2' }).end();
      },
      {},
    ],
    ['has a name that never resolves', silent, { lookup: () => forever }],
    ['never takes the connection', silent, { connect: () => new Socket() }],
  ])('a server that %s runs out of time', async (_name, answer, options) => {
    const local = await network(answer, { timeoutMs: 150, ...options });
    expect(await errorOf(local.fetch({ url: 'http://example.com/' }))).toMatchObject({
      code: 'deadline_exceeded',
      message: 'Host example.com did not answer in full within 0.15 s; ask for less, or try again later.',
    });
  });

  test.each<[string, Answer]>([
    ['waiting for an answer', silent],
    ['reading the body', dripping],
  ])('a cancelled request stops, and closes its connection: %s', async (_name, answer) => {
    const controller = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const asked = new Promise<void>((resolve) => {
      void network((request, response) => {
        closed = new Promise((resolve) => request.socket.once('close', resolve));
        answer(request, response);
        resolve();
      }).then((local) => {
        failure = errorOf(local.fetch({ url: 'http://example.com/' }, ['example.com'], controller.signal));
      });
    });
    let failure: ReturnType<typeof errorOf> | undefined;
    await asked;
    controller.abort(new Error('any reason'));
    expect((await failure)?.code).toBe('cancelled');
    await closed;
  });

  test('a request whose signal has fired sends nothing', async () => {
    const local = await network(hello);
    const request = local.fetch({ url: 'http://example.com/' }, ['example.com'], AbortSignal.abort());
    expect((await errorOf(request)).code).toBe('cancelled');
    expect(local.dialled).toEqual([]);
  });

  test('close() ends requests under way, and later ones', async () => {
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const local = await network(() => asked());
    const running = errorOf(local.fetch({ url: 'http://example.com/' }));
    await isAsked;
    await local.fetcher.close();
    const message = 'The request to host example.com failed: the server is shutting down.';
    expect(await running).toMatchObject({ code: 'unavailable', message });
    expect(await errorOf(local.fetch({ url: 'http://example.com/' }))).toMatchObject({
      code: 'unavailable',
      message,
    });
  });
});
