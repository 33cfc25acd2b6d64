import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { boundedFetch } from './bounded-fetch.js';

let server: Server;
let answer: (response: ServerResponse) => void;
let url: string;
let seen: string[];
beforeEach(async () => {
  server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  seen = [];
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const fetchIt = boundedFetch({
  onBroken: () => seen.push('broken'),
  onTooLarge: () => seen.push('too large'),
  onSessionLost: (status) => seen.push(`session lost ${status}`),
});
const text = async (method: string, headers = {}) => (await fetchIt(url, { method, headers })).text();
const outcome = (promise: Promise<string>) =>
  promise.then(
    (body) => body.length,
    () => 'failed',
  );

describe('boundedFetch', () => {
  test('passes on status, headers and a body of the limit', async () => {
    answer = (response) => response.writeHead(418, { 'x-kind': 'tea' }).end('x'.repeat(1000));
    const response = await fetchIt(url, { method: 'POST' });
    expect([response.status, response.headers.get('x-kind')]).toEqual([418, 'tea']);
    expect(await response.text()).toBe('x'.repeat(1000));
    answer = (response) => response.writeHead(204).end();
    expect((await fetchIt(url)).body).toBeNull();
    expect(seen).toEqual([]);
  });

  const reply = '{"jsonrpc":"2.0","id":7,"error":{"code":-32097,"message":"its answer is too large"}}';
  const dense = `[${'{},'.repeat(500_000)}{}]`;
  const events = { 'content-type': 'text/event-stream' };

  test.each([`{"jsonrpc":"2.0","id":7,"result":${dense}}`, `{"result":${dense},"jsonrpc":"2.0","id":7}`])(
    'puts an error in the place of an answer that is too expensive: %.30s',
    async (body) => {
      answer = (response) => response.end(body);
      expect(await text('POST')).toBe(reply);
      answer = (response) =>
        response.writeHead(200, events).end(`data: 1\n\nid: 1\ndata: ${body}\n\ndata: 2\n\n`);
      expect(await text('POST')).toBe(`data: 1\n\ndata: ${reply}\n\ndata: 2\n\n`);
      expect(seen).toEqual([]);
    },
  );

  test('ends the connection if it is not known which request is answered, or if a message does not end', async () => {
    answer = (response) => response.end(dense);
    expect(await outcome(text('POST'))).toBe('failed');
    answer = (response) => response.writeHead(200, events).end(`data: ${dense}\n\n`);
    expect(await outcome(text('POST'))).toBe('failed');
    const endless = 'x'.repeat(65 * 1024 * 1024);
    answer = (response) => response.writeHead(200, events).write(endless);
    expect(await outcome(text('GET'))).toBe('failed');
    answer = (response) => response.write(endless);
    expect(await outcome(text('GET'))).toBe('failed');
    expect(seen).toEqual(['too large', 'too large', 'too large', 'too large']);
  });

  test('accepts 96 MB of answers of a server at once, and puts an error in the place of further ones', async () => {
    const crowded =
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32096,"message":"too many large answers came at once"}}';
    const long = 30 * 1024 * 1024;
    const waiting: ServerResponse[] = [];
    answer = (response) => {
      // No message ends before nearly all of each was read.
      response.write(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(long)}`, () => {
        waiting.push(response);
        if (waiting.length === 6) for (const each of waiting) each.end('"}');
      });
    };
    const bodies = await Promise.all(Array.from({ length: 6 }, () => text('POST')));
    expect(bodies.filter((body) => body === crowded)).toHaveLength(3);
    expect(bodies.filter((body) => body.length > long)).toHaveLength(3);
    // The memory of messages that broke off, or are not read any more, is released.
    answer = (response) => {
      response
        .writeHead(200, { 'content-length': 3 * long })
        .write('x'.repeat(long), () => response.destroy());
    };
    for (let count = 0; count < 5; count++) expect(await outcome(text('POST'))).toBe('failed');
    answer = (response) => response.end(`"${'x'.repeat(long)}"`);
    expect(await outcome(text('POST'))).toBe(long + 2);
    expect(seen).toEqual(Array(5).fill('broken'));
  });

  test('notices an answer that breaks off, but not the end of a stream of notifications', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 10 }).write('x');
      setTimeout(() => response.destroy(), 20);
    };
    expect(await outcome(text('GET'))).toBe('failed');
    expect(seen).toEqual([]);
    expect(await outcome(text('POST'))).toBe('failed');
    expect(seen).toEqual(['broken']);
  });

  test.each(['GET', 'POST'])('notices at a %s that the server is gone, but not an abort', async (method) => {
    server.close();
    await once(server, 'close');
    await expect(fetchIt(url, { method, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(seen).toEqual([]);
    await expect(fetchIt(url, { method })).rejects.toThrow('fetch failed');
    expect(seen).toEqual(['broken']);
  });

  test('notices that the session is lost, if there was one', async () => {
    answer = (response) => response.writeHead(404).end();
    await text('POST');
    await text('GET', { 'mcp-session-id': 'x' });
    expect(seen).toEqual([]);
    await text('POST', { 'mcp-session-id': 'x' });
    expect(seen).toEqual(['session lost 404']);
  });
});
