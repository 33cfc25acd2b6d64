import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import { until } from '../../server-under-test/until.js';
import type { HttpAttack } from './http-attack.js';
import { beginSession, ping, sendMcp, sendModern, statusOfMcp } from './mcp-call.js';
import type { RawCall } from './raw-call.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const message = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`;
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

/** Attacks on MCP over HTTP. */
export const mcp: readonly HttpAttack[] = [
  {
    id: 'PRX-50',
    what: 'reach /mcp without a token or with a wrong one, by another Host, as a web page, by what two parsers read differently',
    stoppedBy: 'server (the same guard for every group of routes; own pages only; no CORS)',
    async attack(arena) {
      const own = `127.0.0.1:${arena.port}`;
      const token = arena.tokens.constructor;
      const calls: [number, RawCall][] = [
        ...[[], ['Authorization:'], ['Authorization: Bearer x'], [`Authorization: bearer ${token}`]].map(
          (authorization): [number, RawCall] => [401, { authorization }],
        ),
        [401, { authorization: [`Cookie: token=${token}`] }],
        [401, { authorization: [], target: `POST /mcp?token=${token} HTTP/1.1` }],
        [401, { authorization: [], target: 'GET /mcp HTTP/1.1' }],
        [401, { authorization: [], target: 'DELETE /mcp HTTP/1.1' }],
        ...['evil.example', `localhost:${arena.port}`, `${own}.evil.example`, ''].map(
          (host): [number, RawCall] => [421, { host: [`Host: ${host}`] }],
        ),
        [400, { host: [] }],
        [400, { host: [`Host: ${own}`, 'Host: evil.example'] }],
        [400, { target: 'POST /mcp HTTP/1.0' }],
        [400, { target: `POST http://${own}/mcp HTTP/1.1` }],
        ...['http://evil.example', `https://${own}`, 'null', '', `http://${own}, http://evil.example`].map(
          (origin): [number, RawCall] => [403, { headers: [`Origin: ${origin}`] }],
        ),
        ...['cross-site', 'same-site', 'None'].map((site): [number, RawCall] => [
          403,
          { headers: [`Sec-Fetch-Site: ${site}`] },
        ]),
        [421, { host: ['Host: evil.example'], headers: ['Origin: http://evil.example'] }],
        [400, { headers: ['Transfer-Encoding: chunked'] }],
        [400, { headers: ['Content-Length: 0'] }],
        [431, { headers: [`Mcp-Session-Id: ${'x'.repeat(20_000)}`] }],
        [404, { target: 'POST /mcp/ HTTP/1.1' }],
        [404, { target: 'POST /MCP HTTP/1.1' }],
        ...['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'].map((method): [number, RawCall] => [
          405,
          { target: `${method} /mcp HTTP/1.1` },
        ]),
      ];
      for (const [status, call] of calls)
        assert.equal(await statusOfMcp(arena, call), status, JSON.stringify(call));
      // Its own pages may call, and need a token and a session as everybody does.
      const page = [`Origin: http://${own}`, 'Sec-Fetch-Site: same-origin'];
      assert.equal(await statusOfMcp(arena, { headers: page, authorization: [] }), 401);
      assert.equal(await statusOfMcp(arena, { headers: page }), 400);
      const head = `POST /mcp HTTP/1.1\r\nHost: ${own}\r\nContent-Type: application/json\r\nContent-Length: ${ping.length}`;
      const first = `${head}\r\nAuthorization: Bearer ${token}\r\n\r\n${ping}`;
      const answers = await arena.exchange(`${first}${head}\r\nConnection: close\r\n\r\n${ping}`);
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      assert.deepEqual(statuses, ['400', '401']);
      assert.ok(!/access-control-/i.test(arena.output.answers), 'An answer contains CORS headers.');
    },
  },
  {
    id: 'PRX-51',
    what: 'send /mcp hostile bodies: broken JSON, other types, batches, too large, too deep, other top levels, what is no JSON-RPC',
    stoppedBy:
      'server (4 MiB, UTF-8, 200 levels, no __proto__, one message; answers are JSON-RPC and repeat nothing)',
    async attack(arena) {
      const session = { 'mcp-session-id': await beginSession(arena, 'constructor') };
      const many = `[${Array.from({ length: 1000 }, () => ping).join()}]`;
      const refused: [number, string | Uint8Array<ArrayBuffer>][] = [
        ...[
          '',
          ' ',
          '{',
          'NaN',
          '{}}',
          `\u{feff}${ping}`,
          '{"__proto__":1}',
          '<script>alert(1)</script>',
        ].map((body): [number, string] => [400, body]),
        [400, Uint8Array.from(Buffer.from(ping, 'utf16le'))],
        ...[nested(100_000), message(nested(100_000)), '{"a":'.repeat(150_000)].map(
          (body): [number, string] => [400, body],
        ),
        ...['[]', `[${ping}]`, many, '1', '"text"', 'null', 'true', '{}'].map((body): [number, string] => [
          400,
          body,
        ]),
        ...['{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}'].map(
          (body): [number, string] => [400, body],
        ),
        [400, message('[]')],
      ];
      for (const [status, body] of refused) {
        for (const headers of [session, {}]) {
          const answer = await sendMcp(arena, body, { headers });
          const what = typeof body === 'string' ? body.slice(0, 60) : 'UTF-16';
          assert.equal(answer.status, status, `${what}: ${answer.text.slice(0, 200)}`);
          assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, what);
          const { jsonrpc, error } = JSON.parse(answer.text) as { jsonrpc: string; error: { code: number } };
          assert.equal(jsonrpc, '2.0', what);
          assert.ok(Number.isInteger(error.code), what);
          assert.ok(answer.text.length < 1000, what);
          assert.doesNotMatch(answer.text, /script|x{50}/, what);
        }
      }
      const typed = (type: string) => sendMcp(arena, ping, { headers: { ...session, 'content-type': type } });
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/jsonx',
      ])
        assert.equal((await typed(type)).status, 415, type);
      const compressed = await sendMcp(arena, ping, { headers: { ...session, 'content-encoding': 'gzip' } });
      assert.equal(compressed.status, 415);
      // It is refused before it comes.
      const tooLarge = ['Content-Type: application/json', `Content-Length: ${4 * 1024 * 1024 + 1}`];
      assert.equal(await statusOfMcp(arena, { content: tooLarge }), 413);
      const chunk = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`;
      const endless = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
      assert.equal(await statusOfMcp(arena, { content: endless, body: chunk.repeat(5) }), 413);
      assert.equal((await sendMcp(arena, ping, { headers: session })).status, 200);
    },
  },
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
