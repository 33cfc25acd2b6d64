import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from '@jest/globals';

import { type Answer, errorOf, localNetwork, textOf } from './local-network.test.kit.js';

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

const get = async (answer: Answer, method = 'GET') => {
  const local = await localNetwork(answer, { maxResponseBytes: 100_000 });
  close = local.close;
  return local.fetch({ url: 'http://example.com/', method });
};
const encoded =
  (encoding: string, body: Buffer): Answer =>
  (_request, response) =>
    response
      .writeHead(200, { 'content-encoding': encoding, 'content-length': body.length, 'x-other': '1' })
      .end(body);
const tooLarge = {
  code: 'resource_exhausted',
  message: 'The answer is larger than 100000 bytes; ask for a part of it, for example with a Range header.',
};

describe('bodies', () => {
  const plain = Buffer.from('grüß '.repeat(1000));
  test.each([
    ['gzip', gzipSync(plain)],
    ['X-GZIP', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
    ['identity, gzip', gzipSync(plain)],
    ['gzip', gzipSync(plain).subarray(0, -8)],
  ])('encoded as %s are decoded, with headers that fit', async (encoding, body) => {
    const response = await get(encoded(encoding, body));
    expect(textOf(response)).toBe(plain.toString());
    const names = response.headers.map(([name]) => name.toLowerCase());
    expect(names).toContain('x-other');
    expect(names).not.toContain('content-encoding');
    expect(names).not.toContain('content-length');
  });

  test.each(['zstd', 'gzip, unknown', 'br, br, br, br'])(
    'encoded as %s are passed on as they are',
    async (encoding) => {
      const response = await get(encoded(encoding, Buffer.from('as sent')));
      expect(textOf(response)).toBe('as sent');
      expect(response.headers).toContainEqual(['content-encoding', encoding]);
    },
  );

  test('of a HEAD, a 204 and a 304 are empty, whatever the headers say', async () => {
    const head = await get(encoded('gzip', gzipSync(plain)), 'HEAD');
    expect(head.body).toHaveLength(0);
    expect(head.headers).toContainEqual(['content-encoding', 'gzip']);
    await close();
    for (const status of [204, 304]) {
      const response = await get((_request, answer) =>
        answer.writeHead(status, { 'content-encoding': 'gzip' }).end(),
      );
      expect([response.status, response.body.length]).toEqual([status, 0]);
      await close();
    }
  });

  test('fail if they are not encoded as their headers say', async () => {
    expect(await errorOf(get(encoded('gzip', Buffer.from('no gzip'))))).toMatchObject({
      code: 'unavailable',
      message: 'The request to host example.com failed: its answer is not encoded as it says.',
    });
  });

  test('pass up to the limit, and fail with one byte more', async () => {
    const sized =
      (size: number): Answer =>
      (_request, response) =>
        void response.end(Buffer.alloc(size));
    expect((await get(sized(100_000))).body).toHaveLength(100_000);
    await close();
    expect(await errorOf(get(sized(100_001)))).toMatchObject(tooLarge);
  });

  const zeros = Buffer.alloc(50_000_000);
  test.each<[string, Answer]>([
    ['a gzip bomb', encoded('gzip', gzipSync(zeros))],
    ['a brotli bomb', encoded('br', brotliCompressSync(zeros))],
    ['a bomb in a bomb', encoded('gzip, gzip', gzipSync(gzipSync(zeros)))],
    [
      'a promise of much',
      (_request, response) => response.writeHead(200, { 'content-length': 1e12 }).write(zeros),
    ],
    [
      'an endless body',
      (_request, response) => {
        const pump = () => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', pump);
        pump();
      },
    ],
    [
      'an endless body that decodes to nothing',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')));
        const pump = () => {
          while (response.write(nothing));
        };
        response.on('drain', pump);
        pump();
      },
    ],
  ])('are given up if they are larger than the limit: %s', async (_name, answer) => {
    expect(await errorOf(get(answer))).toMatchObject(tooLarge);
  });
});
