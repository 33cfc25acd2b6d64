import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { boundedFetch } from './bounded-fetch.js';

let server: Server;
let answer: (response: ServerResponse) => void;
let url: string;
let events: string[];
beforeEach(async () => {
  server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  events = [];
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const fetchIt = boundedFetch({
  maxMessageBytes: 1000,
  onBroken: () => events.push('broken'),
  onTooLarge: () => events.push('too large'),
  onSessionLost: (status) => events.push(`session lost ${status}`),
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
    expect(events).toEqual([]);
  });

  test('stops a body that is larger', async () => {
    answer = (response) => response.end('x'.repeat(1001));
    expect(await outcome(text('POST'))).toBe('failed');
    expect(events).toEqual(['too large']);
  });

  test.each(['\n', '\r\n'])(
    'counts each event of a stream by itself, lines ending with %j',
    async (newline) => {
      const event = (chars: number) => `data: ${'x'.repeat(chars)}${newline}${newline}`;
      answer = (response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event(900).repeat(100));
      expect(await outcome(text('GET'))).toBe(event(900).length * 100);
      answer = (response) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(event(10) + `data: ${'x'.repeat(400)}${newline}`.repeat(3) + newline);
      expect(await outcome(text('GET'))).toBe('failed');
      expect(events).toEqual(['too large']);
    },
  );

  test('notices an answer that breaks off, but not the end of a stream of notifications', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 10 }).write('x');
      setTimeout(() => response.destroy(), 20);
    };
    expect(await outcome(text('GET'))).toBe('failed');
    expect(events).toEqual([]);
    expect(await outcome(text('POST'))).toBe('failed');
    expect(events).toEqual(['broken']);
  });

  test.each(['GET', 'POST'])('notices at a %s that the server is gone, but not an abort', async (method) => {
    server.close();
    await once(server, 'close');
    await expect(fetchIt(url, { method, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(events).toEqual([]);
    await expect(fetchIt(url, { method })).rejects.toThrow('fetch failed');
    expect(events).toEqual(['broken']);
  });

  test('notices that the session is lost, if there was one', async () => {
    answer = (response) => response.writeHead(404).end();
    await text('POST');
    await text('GET', { 'mcp-session-id': 'x' });
    expect(events).toEqual([]);
    await text('POST', { 'mcp-session-id': 'x' });
    expect(events).toEqual(['session lost 404']);
  });
});
