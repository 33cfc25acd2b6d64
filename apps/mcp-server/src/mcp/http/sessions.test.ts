import type { SessionEvent } from '@code-executor/contracts';
import { type HttpServer, type StreamRoute, startHttpServer } from '@code-executor/http-server';
import { Server } from '@modelcontextprotocol/server';
import { afterEach, expect, jest, test } from '@jest/globals';

import { Sessions } from './sessions.js';

/** Everything but the timers of the sessions and their clock. */
const doNotFake = [
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'setTimeout',
  'clearTimeout',
  'Date',
] as const;
const halfAnHourMs = 30 * 60_000;

let sessions: Sessions;
let server: HttpServer;
afterEach(async () => {
  jest.useRealTimers();
  await sessions.close();
  await server.close();
});

test('sessions end when they have had no request and no stream for half an hour', async () => {
  jest.useFakeTimers({ doNotFake: [...doNotFake] });
  const events: SessionEvent[] = [];
  sessions = new Sessions({
    createServer: () => new Server({ name: 'test', version: '0' }, { capabilities: {} }),
    record: (event) => events.push(event),
  });
  const stream: StreamRoute['stream'] = async (request) => {
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id, 'ada') : await sessions.begin('ada');
    return session?.answer(request) ?? new Response(null, { status: 404 });
  };
  server = await startHttpServer(
    [
      {
        authentication: 'open',
        origins: 'none',
        body: { type: 'json' },
        routes: (['GET', 'POST'] as const).map((method) => ({ method, path: '/mcp', stream })),
      },
    ],
    { drainMs: 1 },
  );
  const idle = await begin();
  // It is refused, and nothing else will be sent to it.
  await post(idle, { ...ping, id: 3 }, { accept: 'application/json' });
  const listening = await begin();
  const open = await fetch(`${server.url}/mcp`, { headers: { accept: 'text/event-stream', ...listening } });
  const later = async () => {
    jest.advanceTimersByTime(halfAnHourMs + 60_000);
    for (let n = 0; n < 10; n++) await new Promise(setImmediate);
  };
  await later();
  expect([await statusOf(idle), await statusOf(listening)]).toEqual([404, 200]);
  expect(events.map(({ action, clientId }) => `${action} ${clientId}`)).toEqual([
    'started ada',
    'started ada',
    'ended ada',
  ]);
  expect(events[2]?.sessionHash).toBe(events[0]?.sessionHash);
  await open.body?.cancel();
});

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function begin(): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '0' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const answer = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body });
  await answer.text();
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

const statusOf = (session: Record<string, string>) => post(session, ping);

async function post(session: Record<string, string>, message: object, more = {}): Promise<number> {
  const body = JSON.stringify(message);
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, ...session, ...more },
    body,
  });
  await answer.text();
  return answer.status;
}
