import { once } from 'node:events';
import { connect } from 'node:net';

import { afterEach, expect, jest, test } from '@jest/globals';

import { type Route, startHttpServer } from './index.js';
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
  const server = await startHttpServer([programs([large])], { drainMs: 60_000 });
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
});
