import { afterEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { type StartedHttpServer, tokenHash } from '../server-under-test/started-http-server.js';
import { until } from '../server-under-test/until.js';
import { startHttp } from './http-servers.js';
import { closeClients } from './mcp-clients.js';
import { begin, eventsOf, latestLegacy, listen, post, postModern, resultOf } from './raw-mcp.js';

afterEach(closeClients);

const ids = ['ada', 'bob'] as const;
const clients = Object.fromEntries(ids.map((id) => [id, { tokenHash: tokenHash(id) }]));
const start = () => startHttp({ http: { clients } });
const ping = { id: 7, method: 'ping' };

/** A call of a program; it prints a line each 200 ms and ends after about `ms`. */
function call(ms: number, id = 1) {
  const code = `for (let n = 0; n < ${ms / 200}; n++) { console.log(n); await new Promise((r) => setTimeout(r, 200)); } return 42;`;
  const params = { name: 'executeTypescript', arguments: { code }, _meta: { progressToken: id } };
  return { id, method: 'tools/call', params };
}

async function stateOf(server: StartedHttpServer, token: string): Promise<string | undefined> {
  const params = { name: 'getExecution', arguments: {} };
  const result = await resultOf(await postModern(server, token, { method: 'tools/call', params }));
  const { executions } = result['structuredContent'] as { executions: { state: string; status?: string }[] };
  return executions[0] && (executions[0].status ?? executions[0].state);
}

describe('a session', () => {
  test('exists for its own client alone, until it is deleted', async () => {
    const server = await start();
    const session = await begin(server, 'ada');
    const statusOf = async (token: string, headers = session) =>
      (await post(server, token, ping, headers)).status;
    expect([await statusOf('ada'), await statusOf('bob')]).toEqual([200, 404]);
    const foreign = await post(server, 'bob', ping, session);
    expect(await foreign.json()).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32_001,
        message: 'There is no such session; send initialize to begin one.',
        data: { code: 'not_found' },
      },
    });
    expect((await listen(server, 'bob', session)).status).toBe(404);
    const remove = (token: string) =>
      fetch(`${server.url}/mcp`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}`, ...session },
      });
    expect([(await remove('bob')).status, (await remove('ada')).status]).toEqual([404, 200]);
    expect(await statusOf('ada')).toBe(404);
    expect((await post(server, 'ada', ping)).status).toBe(400);
    const sessions = async () => (await auditRecordsOf(server.home)).filter(({ type }) => type === 'session');
    await until(async () => (await sessions()).length > 1);
    const records = await sessions();
    expect(records.map(({ action, clientId }) => [action, clientId])).toEqual([
      ['started', 'ada'],
      ['ended', 'ada'],
    ]);
    expect(JSON.stringify(records)).not.toContain(session['mcp-session-id']);
  });

  test('goes on with a call whose stream was cut, and sends the rest to who takes it up again', async () => {
    const server = await start();
    const session = await begin(server, 'ada');
    const cut = new AbortController();
    const answer = await post(server, 'ada', call(2000), session, { signal: cut.signal });
    let lastId: string | undefined;
    for await (const { id, data } of eventsOf(answer)) {
      lastId = id;
      if (data.includes('notifications/progress')) break;
    }
    cut.abort();
    const rest = await listen(server, 'ada', session, lastId);
    const messages: { id?: number; method?: string; result?: { structuredContent: object } }[] = [];
    for await (const { data } of eventsOf(rest)) if (data !== '') messages.push(JSON.parse(data) as object);
    expect(messages.at(-1)).toMatchObject({
      id: 1,
      result: { structuredContent: { success: true, result: 42 } },
    });
    const foreign = await listen(server, 'bob', session, lastId);
    expect(foreign.status).toBe(404);
    expect((await listen(server, 'ada', session, 'no such event')).status).toBe(400);
    expect((await listen(server, 'ada', session, `${lastId?.split('/')[0]}/999`)).status).toBe(400);
  });

  test('lets a client take up a stream before the server has noticed that it was cut', async () => {
    const server = await start();
    const session = await begin(server, 'ada');
    const answer = await post(server, 'ada', call(1000), session);
    const reader = answer.body?.getReader();
    const opened = Buffer.from((await reader?.read())?.value ?? []).toString();
    const lastId = /^id: (.*)$/m.exec(opened)?.[1];
    expect(await resultOf(await listen(server, 'ada', session, lastId))).toMatchObject({
      structuredContent: { result: 42 },
    });
    expect((await reader?.read())?.done).toBe(true);
  });

  test('cancels a call when its client says so, or ends the session', async () => {
    const server = await start();
    const session = await begin(server, 'ada');
    void post(server, 'ada', call(60_000), session).catch(() => undefined);
    await until(async () => (await stateOf(server, 'ada')) === 'running');
    await post(server, 'ada', { method: 'notifications/cancelled', params: { requestId: 1 } }, session);
    await until(async () => (await stateOf(server, 'ada')) === 'cancelled');
    void post(server, 'ada', call(60_000, 2), session).catch(() => undefined);
    await until(async () => (await stateOf(server, 'ada')) === 'running');
    await fetch(`${server.url}/mcp`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer ada', ...session },
    });
    await until(async () => (await stateOf(server, 'ada')) === 'cancelled');
  });

  test('takes the place of an idle one beyond a hundred, and is refused while all are in use', async () => {
    const server = await startHttp({
      http: { clients: { ...clients, ada: { ...clients['ada'], rateLimit: { enabled: false } } } },
    });
    const sessions: Record<string, string>[] = [];
    for (let n = 0; n < 101; n++) sessions.push(await begin(server, 'ada'));
    const [first = {}, second = {}] = sessions;
    expect((await post(server, 'ada', ping, first)).status).toBe(404);
    expect((await post(server, 'ada', ping, second)).status).toBe(200);
    const streams = await Promise.all(sessions.slice(1).map((session) => listen(server, 'ada', session)));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const params = {
      protocolVersion: latestLegacy,
      capabilities: {},
      clientInfo: { name: 'raw', version: '0' },
    };
    const refused = await post(server, 'ada', { id: 1, method: 'initialize', params });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await post(server, 'bob', { id: 1, method: 'initialize', params })).status).toBe(200);
    await Promise.all(streams.map(async ({ body }) => body?.cancel()));
  });
});

test('a call of 2026-07-28 is cancelled when its stream is closed', async () => {
  const server = await start();
  const cut = new AbortController();
  const { method, params } = call(60_000);
  void postModern(server, 'ada', { method, params }, { signal: cut.signal }).catch(() => undefined);
  await until(async () => (await stateOf(server, 'ada')) === 'running');
  cut.abort();
  await until(async () => (await stateOf(server, 'ada')) === 'cancelled');
});

test('shutting down ends streams that have no end of their own, and waits for calls', async () => {
  const server = await start();
  const session = await begin(server, 'ada');
  const stream = await listen(server, 'ada', session);
  const listening = await postModern(server, 'ada', {
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true } },
  });
  const answer = post(server, 'ada', call(2000), session).then(resultOf);
  await until(async () => (await stateOf(server, 'ada')) === 'running');
  server.signal('SIGTERM');
  await Promise.all([stream.text(), listening.text()]);
  expect(await answer).toMatchObject({ structuredContent: { result: 42 } });
  expect(await server.ended).toBe(0);
});
