import { once } from 'node:events';
import { connect } from 'node:net';
import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach } from '@jest/globals';
import { type HttpServerOptions, type Route, startHttpServer, type TokenServer } from './index.js';
import { programs } from './routes.test.kit.js';

/** Requests that reached a handler. */
export let handled: unknown[] = [];
export const routes: Route[] = [
  {
    method: 'POST',
    path: '/echo',
    handle({ body }) {
      handled.push(body);
      return { body: { body } };
    },
  },
  {
    method: 'GET',
    path: '/throw',
    handle() {
      throw new Error('secret');
    },
  },
  {
    method: 'GET',
    path: '/busy',
    handle() {
      throw new CodeExecutorError('unavailable', 'Busy.', {
        retryAfterMs: 1500,
        server: 'github',
        tool: 't',
      });
    },
  },
];

export let server: TokenServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  handled = [];
});

export async function start(options: HttpServerOptions = {}, served = routes) {
  return (server = await startHttpServer([programs(served)], options));
}

export function post(
  { url, token }: TokenServer,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
) {
  return fetch(`${url}/echo`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  });
}

export const errorOf = async (answer: Response) => ((await answer.json()) as { error: unknown }).error;

/** The status that a request gets which `fetch` would not send; the server has closed the connection then. */
export async function statusOfRaw({ url }: { url: string }, lines: string[], body = ''): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}
