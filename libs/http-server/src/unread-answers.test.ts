import { once } from 'node:events';
import { connect } from 'node:net';

import { afterEach, expect, jest, test } from '@jest/globals';

import { type Route, startHttpServer, type StreamRoute } from './index.js';
import { programs } from './routes.test.kit.js';

/** Everything but the timers that the server waits for. */
const doNotFake = [
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'performance',
  'Date',
] as const;

afterEach(() => {
  jest.useRealTimers();
});

test('drops an answer that the client does not take within 10 s, with its connection', async () => {
  let onSent: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (onSent = resolve));
  const large: Route = {
    method: 'GET',
    path: '/',
    handle() {
      setImmediate(onSent);
      // Far more than the system keeps for a connection.
      return { body: 'x'.repeat(50_000_000) };
    },
  };
  await checkDropped(large, sent);
});

test('drops a stream of which the client takes nothing for 10 s', async () => {
  let onSent: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (onSent = resolve));
  const endless: StreamRoute = {
    method: 'GET',
    path: '/',
    stream() {
      setImmediate(() => setImmediate(onSent));
      const pull = (to: ReadableStreamDefaultController<Uint8Array>) => to.enqueue(Buffer.alloc(50_000_000));
      const headers = { 'content-type': 'text/event-stream' };
      return new Response(new ReadableStream<Uint8Array>({ pull }), { headers });
    },
  };
  await checkDropped(endless, sent);
});

/** Checks that the server can close 10 s after this answer was sent, and no earlier, if nobody reads it. */
async function checkDropped(route: Route | StreamRoute, sent: Promise<void>): Promise<void> {
  const server = await startHttpServer([programs([route])], { drainMs: 60_000 });
  const { host, port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  jest.useFakeTimers({ doNotFake: [...doNotFake] });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`);
  await sent;
  let isOpen = true as boolean;
  // The server closes once its last connection is gone.
  const closed = server.close().then(() => (isOpen = false));
  jest.advanceTimersByTime(9999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(true);
  jest.advanceTimersByTime(1);
  await closed;
  expect(isOpen).toBe(false);
  socket.destroy();
}
