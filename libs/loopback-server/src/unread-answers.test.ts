import { once } from 'node:events';
import { connect } from 'node:net';

import { afterEach, expect, jest, test } from '@jest/globals';

import { startLoopbackServer } from './loopback-server.js';

/** All but what the server takes its time by. */
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

test('an answer that is not taken within 10 s is dropped with its connection', async () => {
  let isOpen = true as boolean;
  let onSent: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (onSent = resolve));
  let onClosed: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (onClosed = resolve));
  const server = await startLoopbackServer((app) => {
    app.get('/', (_request, reply) => {
      reply.raw.once('close', () => {
        isOpen = false;
        onClosed();
      });
      // Far more than the system keeps for a connection.
      return reply.send('x'.repeat(50_000_000));
    });
    app.addHook('onSend', () => {
      onSent();
      return Promise.resolve();
    });
    return Promise.resolve();
  });
  const { host, port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  jest.useFakeTimers({ doNotFake: [...doNotFake] });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`);
  await sent;
  jest.advanceTimersByTime(9999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(true);
  jest.advanceTimersByTime(1);
  await gone;
  expect(isOpen).toBe(false);
  socket.destroy();
  await server.close();
});
