import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, describe, expect, test } from '@jest/globals';

import {
  type AnsweredRequest,
  type ClientServer,
  type HttpRequest,
  type RefusedRequest,
  type RouteGroup,
  startHttpServer,
  type StreamRoute,
} from './index.js';
import { hashToken } from './client-check.js';
import { programs } from './routes.test.kit.js';

let server: ClientServer;
const answered: AnsweredRequest[] = [];
const refused: RefusedRequest[] = [];
afterEach(async () => {
  await server.close();
  answered.length = 0;
  refused.length = 0;
});

async function start(group: RouteGroup, options: { drainMs?: number } = {}): Promise<void> {
  server = await startHttpServer([group], {
    clients: { ci: hashToken('ci token'), other: hashToken('other token') },
    onAnswered: (each) => answered.push(each),
    onRefused: (each) => refused.push(each),
    drainMs: 1,
    ...options,
  });
}

interface Asked {
  token?: string;
  method?: string;
  body?: string;
}

async function ask(
  path = '/',
  { token = 'ci token', method = 'GET', body }: Asked = {},
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = request(server.url + path, { method, headers, agent: false }).end(body);
  asked.on('error', () => undefined);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return answer.setEncoding('utf8');
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}

const events = { 'content-type': 'text/event-stream' };

/** A stream that stays open, with what happens to it. */
function openStream(): {
  route: StreamRoute;
  write: (text: string) => void;
  end: () => void;
  asked: Promise<HttpRequest>;
  cancelled: Promise<void>;
} {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let onCancelled!: () => void;
  let onAsked!: (request: HttpRequest) => void;
  const cancelled = new Promise<void>((resolve) => (onCancelled = resolve));
  const asked = new Promise<HttpRequest>((resolve) => (onAsked = resolve));
  return {
    route: {
      method: 'GET',
      path: '/',
      stream(received) {
        onAsked(received);
        const body = new ReadableStream<Uint8Array>({
          start: (made) => void (controller = made),
          cancel: onCancelled,
        });
        return new Response(body, { headers: events });
      },
    },
    write: (text) => controller.enqueue(new TextEncoder().encode(text)),
    end: () => controller.close(),
    asked,
    cancelled,
  };
}

describe('a stream route', () => {
  test('sends its headers at once, and each piece as it comes', async () => {
    const { route, write, end } = openStream();
    await start(programs([route], { headers: { 'cache-control': 'no-store' } }));
    const answer = await ask();
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    expect(answered.map(({ method, path, status }) => [method, path, status])).toEqual([['GET', '/', 200]]);
    write('data: 1\n\n');
    expect(await once(answer, 'data')).toEqual(['data: 1\n\n']);
    write('data: 2\n\n');
    end();
    expect(await textOf(answer)).toBe('data: 2\n\n');
    expect(answered).toHaveLength(1);
  });

  test('is cancelled when its client hangs up', async () => {
    const { route, asked, cancelled } = openStream();
    await start(programs([route]));
    const answer = await ask();
    const { signal, ended } = await asked;
    answer.destroy();
    await cancelled;
    await ended;
    expect(signal.aborted).toBe(true);
  });

  test('gets a signal when the server begins to close, and may then end its stream itself', async () => {
    const { route, asked, end } = openStream();
    await start(programs([route]), { drainMs: 60_000 });
    const answer = await ask();
    const { closing, signal } = await asked;
    closing.addEventListener('abort', end);
    const closed = server.close();
    expect(await textOf(answer)).toBe('');
    await closed;
    expect([closing.aborted, signal.aborted]).toEqual([true, false]);
  });

  test('is cut off after the time for the last requests if it does not end', async () => {
    const { route, cancelled } = openStream();
    await start(programs([route]));
    await ask();
    await server.close();
    await cancelled;
  });

  test('ends the connection if its body fails, because what was sent cannot be taken back', async () => {
    const { route, write } = openStream();
    const failing: StreamRoute = {
      ...route,
      stream(asked) {
        const answer = route.stream(asked) as Response;
        return new Response(
          answer.body?.pipeThrough(new TransformStream({ transform: () => Promise.reject(new Error('x')) })),
          { headers: events },
        );
      },
    };
    await start(programs([failing]));
    const answer = await ask();
    write('data: 1\n\n');
    await expect(textOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('answers as a whole what is no stream of events, and counts its refusals', async () => {
    const whole: StreamRoute = {
      method: 'POST',
      path: '/',
      stream: ({ body }) =>
        body === null ? new Response(null, { status: 202 }) : Response.json({ body }, { status: 404 }),
    };
    await start(programs([whole]));
    const accepted = await ask('/', { method: 'POST', body: 'null' });
    expect([accepted.statusCode, accepted.headers['content-length'], await textOf(accepted)]).toEqual([
      202,
      '0',
      '',
    ]);
    const missing = await ask('/', { method: 'POST', body: '1' });
    expect([missing.statusCode, missing.headers['content-length'], await textOf(missing)]).toEqual([
      404,
      '10',
      '{"body":1}',
    ]);
    expect(refused).toEqual([{ httpStatus: 404, code: 'not_found', clientId: 'ci', clientIp: '127.0.0.1' }]);
  });

  test('is behind the same guard as every route', async () => {
    const { route } = openStream();
    await start(programs([route]));
    expect((await ask('/', { token: 'wrong' })).statusCode).toBe(401);
    expect((await ask('/', { method: 'POST', body: '1' })).statusCode).toBe(405);
  });
});

describe('a group', () => {
  test('gives refusals a form of its own, with the body that they answer', async () => {
    const errorBody: RouteGroup['errorBody'] = ({ code, message }, { body }) => ({
      own: code,
      message,
      body,
    });
    const failing: StreamRoute = {
      method: 'POST',
      path: '/',
      stream() {
        throw new CodeExecutorError('unavailable', 'Later.', { retryAfterMs: 2000 });
      },
    };
    await start(programs([failing], { errorBody, body: { type: 'json', maxBytes: 10 } }));
    const tell = async (asked: Asked) => {
      const answer = await ask('/', asked);
      return [answer.statusCode, answer.headers['retry-after'], JSON.parse(await textOf(answer)) as unknown];
    };
    const message = expect.any(String) as unknown;
    expect(await tell({ method: 'POST', body: '{"id":1}' })).toEqual([
      503,
      '2',
      { own: 'unavailable', message: 'Later.', body: { id: 1 } },
    ]);
    expect(await tell({ method: 'POST', token: 'wrong' })).toEqual([
      401,
      undefined,
      { own: 'unauthenticated', message },
    ]);
    expect(await tell({ method: 'POST', body: '{' })).toEqual([
      400,
      undefined,
      { own: 'invalid_argument', message },
    ]);
    expect(await tell({ method: 'POST', body: '"12345678901"' })).toEqual([
      413,
      undefined,
      { own: 'invalid_argument', message },
    ]);
    expect(await tell({ method: 'PUT' })).toEqual([405, undefined, { own: 'invalid_argument', message }]);
  });

  test('limits requests by what their bodies ask for, each name with its own count', async () => {
    const limitByBody: RouteGroup['limitByBody'] = (clientId, body) =>
      clientId === 'ci' && typeof body === 'string' && { name: body, maxRequests: 2, remedy: 'ask less' };
    const route: StreamRoute = { method: 'POST', path: '/', stream: () => Response.json(1) };
    await start(programs([route], { limitByBody }));
    const statuses = async (body: string, token?: string) => {
      const all: (number | undefined)[] = [];
      for (let n = 0; n < 3; n++) {
        const answer = await ask('/', { method: 'POST', body, ...(token !== undefined && { token }) });
        all.push(answer.statusCode);
      }
      return all;
    };
    expect(await statuses('"a"')).toEqual([200, 200, 429]);
    expect(await statuses('"b"')).toEqual([200, 200, 429]);
    expect(await statuses('1')).toEqual([200, 200, 200]);
    expect(await statuses('"a"', 'other token')).toEqual([200, 200, 200]);
    const text = await textOf(await ask('/', { method: 'POST', body: '"a"' }));
    expect(text).toContain('More than 2 requests came too fast; wait for Retry-After, or ask less.');
  });

  test('limits what one client has open at once, and lets others in', async () => {
    const { route } = openStream();
    await start(programs([route], { maxOpenPerClient: 2 }));
    const [first] = [await ask(), await ask()];
    const third = await ask();
    expect([third.statusCode, third.headers['retry-after']]).toEqual([429, '1']);
    expect((await ask('/', { token: 'other token' })).statusCode).toBe(200);
    first.destroy();
    let status: number | undefined;
    while (status !== 200) status = (await ask()).statusCode;
  });
});

test('hangUp ends what one client has under way, and nothing of the others', async () => {
  const own = openStream();
  const others = openStream();
  const route = {
    ...own.route,
    stream: (asked: HttpRequest) => (asked.clientId === 'ci' ? own : others).route.stream(asked),
  };
  await start(programs([route]));
  await ask();
  const other = await ask('/', { token: 'other token' });
  server.hangUp('ci');
  await own.cancelled;
  others.write('data: 1\n\n');
  expect(await once(other, 'data')).toEqual(['data: 1\n\n']);
});
