import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import { until } from '../../server-under-test/until.js';
import type { HttpAttack } from './http-attack.js';
import { beginSession, sendMcp, sendModern } from './mcp-call.js';

const long = 'await new Promise((resolve) => setTimeout(resolve, 60_000));';
const takesTasks = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
/** The status and the code of an answer that is an error. */
const errorOf = ({ status, text }: { status: number; text: string }) => [
  status,
  (JSON.parse(text) as { error?: { code: number } }).error?.code,
];
const invalidParams = [200, -32602];
const noSuchMethod = [404, -32601];

/** Attacks on the state of MCP over HTTP: sessions, executions, tasks and streams of others, two eras at once, too many. */
export const mcpSessions: readonly HttpAttack[] = [
  {
    id: 'PRX-52',
    what: 'use the sessions of others: their ids, guessed ones, other spellings, their events, a revoked client',
    stoppedBy: 'server (192 random bits; a session exists for its own client alone)',
    async attack(arena) {
      const id = await beginSession(arena, 'alice');
      assert.match(id, /^[\w-]{32}$/);
      assert.notEqual(id, await beginSession(arena, 'alice'));
      const statusOf = async (session: string, client: 'alice' | 'bob' | 'constructor') =>
        (await sendMcp(arena, { method: 'ping' }, { client, headers: { 'mcp-session-id': session } })).status;
      assert.equal(await statusOf(id, 'alice'), 200);
      for (const client of ['bob', 'constructor'] as const) assert.equal(await statusOf(id, client), 404);
      const other = randomBytes(24).toString('base64url');
      for (const wrong of [
        other,
        `${id}x`,
        id.slice(1),
        id.toUpperCase(),
        `${id}, ${id}`,
        '__proto__',
        'undefined',
        '*',
      ])
        assert.equal(await statusOf(wrong, 'alice'), 404, wrong);
      const named = (method: string, headers: Record<string, string>) =>
        arena.ask('/mcp', arena.tokens.bob, {
          method,
          headers: { accept: 'text/event-stream', 'mcp-session-id': id, ...headers },
        });
      assert.equal((await named('DELETE', {})).status, 404);
      assert.equal((await named('GET', {})).status, 404);
      assert.equal((await named('GET', { 'last-event-id': '_GET_stream/1' })).status, 404);
      assert.equal(await statusOf(id, 'alice'), 200);
    },
  },
  {
    id: 'PRX-53',
    what: 'look up, follow and end executions of others; forge the state of a request, and the ids of tasks',
    stoppedBy: 'server (only its own caller finds an execution; state is signed for one caller)',
    async attack(arena) {
      const call = (name: string, args: object, client: 'alice' | 'bob', more: object = {}) =>
        sendModern(arena, { method: 'tools/call', params: { name, arguments: args, ...more }, client });
      // It becomes a task after ten seconds.
      const running = call('executeTypescript', { code: long }, 'alice', { _meta: takesTasks });
      const structured = async (args: object, client: 'alice' | 'bob') =>
        (
          JSON.parse((await call('getExecution', args, client)).text) as {
            result: { structuredContent: Record<string, unknown> };
          }
        ).result.structuredContent;
      const own = async () =>
        ((await structured({}, 'alice'))['executions'] as { id: string; state: string }[])[0];
      await until(async () => (await own())?.state === 'running');
      const executionId = (await own())?.id;
      assert.deepEqual((await structured({}, 'bob'))['executions'], []);
      for (const args of [{ executionId }, { executionId, cancel: true }, { executionId, waitMs: 1 }])
        assert.equal((await structured(args, 'bob'))['errorCode'], 'not_found');
      assert.equal((await own())?.state, 'running');
      for (const requestState of ['', 'x', 'e30.e30', 'x'.repeat(100_000), executionId]) {
        const answer = await call('executeTypescript', { code: 'return 1' }, 'bob', { requestState });
        assert.deepEqual(errorOf(answer), invalidParams, requestState?.slice(0, 20));
      }
      const { taskId } = (JSON.parse((await running).text) as { result: { taskId: string } }).result;
      const task = async (method: string, id: string | undefined, client: 'alice' | 'bob') =>
        sendModern(arena, { method, params: { taskId: id, _meta: takesTasks }, client });
      const forged = `task_${randomBytes(16).toString('hex')}`;
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        for (const id of [taskId, forged, executionId, `${taskId}x`, '__proto__'])
          assert.deepEqual(errorOf(await task(method, id, 'bob')), invalidParams, `${method} ${id}`);
      }
      for (const method of ['tasks/result', 'tasks/list'])
        assert.deepEqual(errorOf(await task(method, taskId, 'bob')), noSuchMethod, method);
      const { status } = (
        JSON.parse((await task('tasks/get', taskId, 'alice')).text) as { result: { status: string } }
      ).result;
      assert.equal(status, 'working');
      assert.equal((await own())?.state, 'running');
      assert.equal((await structured({ executionId, cancel: true }, 'alice'))['status'], 'cancelled');
    },
  },
  {
    id: 'PRX-54',
    what: 'speak two eras at once: headers that disagree with the body, no envelope, unknown versions, a session and an envelope',
    stoppedBy: 'server (the headers of 2026-07-28 must repeat the body; sessions are for the others)',
    async attack(arena) {
      const list = { method: 'tools/list' };
      const session = { 'mcp-session-id': await beginSession(arena, 'constructor') };
      assert.equal((await sendModern(arena, list)).status, 200);
      const wrong: Record<string, string>[] = [
        { 'mcp-method': 'tools/call' },
        { 'mcp-method': 'tools/list, tools/list' },
        { 'mcp-protocol-version': '2025-11-25' },
        { 'mcp-protocol-version': '2099-01-01' },
        { 'mcp-protocol-version': `2026-07-28, 2025-11-25` },
      ];
      for (const headers of wrong)
        assert.equal((await sendModern(arena, { ...list, headers })).status, 400, JSON.stringify(headers));
      const version = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
      assert.equal((await sendModern(arena, { ...list, params: { _meta: version } })).status, 400);
      const renamed = {
        method: 'tools/call',
        params: { name: 'executeTypescript' },
        headers: { 'mcp-name': 'health' },
      };
      assert.equal((await sendModern(arena, renamed)).status, 400);
      assert.equal(
        (await sendMcp(arena, list, { headers: { 'mcp-protocol-version': '2026-07-28' } })).status,
        400,
      );
      const old = await sendMcp(arena, list, {
        headers: { ...session, 'mcp-protocol-version': '2099-01-01' },
      });
      assert.equal(old.status, 400);
      assert.equal((await sendModern(arena, { method: 'no/such' })).status, 404);
    },
  },
  {
    id: 'PRX-55',
    what: 'hold streams open and read none of them: 300 of one client; then begin a thousand sessions',
    stoppedBy: 'server (256 open requests and 100 sessions for each client; others are served)',
    async attack(arena) {
      const session = await beginSession(arena, 'alice');
      const stop = new AbortController();
      const listen = () =>
        fetch(`http://127.0.0.1:${arena.port}/mcp`, {
          method: 'POST',
          signal: stop.signal,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${arena.tokens.alice}`,
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'subscriptions/listen',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'subscriptions/listen',
            params: {
              notifications: { toolsListChanged: true },
              _meta: {
                'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                'io.modelcontextprotocol/clientInfo': { name: 'x', version: '0' },
                'io.modelcontextprotocol/clientCapabilities': {},
              },
            },
          }),
        });
      try {
        // Kept, because fetch closes the stream of an answer that nobody refers to.
        const answers = await Promise.all(Array.from({ length: 300 }, listen));
        const statuses = answers.map(({ status }) => status);
        assert.deepEqual(
          [
            statuses.filter((status) => status === 200).length,
            statuses.filter((status) => status === 429).length,
          ],
          [256, 44],
        );
        assert.equal((await sendModern(arena, { method: 'tools/list' })).status, 200);
      } finally {
        stop.abort();
      }
      const isServed = async () =>
        (
          await sendMcp(
            arena,
            { method: 'ping' },
            { client: 'alice', headers: { 'mcp-session-id': session } },
          )
        ).status === 200;
      await until(isServed);
      for (let n = 0; n < 1000; n++) assert.ok(await beginSession(arena, 'greedy'));
      assert.ok(await isServed());
    },
  },
];
