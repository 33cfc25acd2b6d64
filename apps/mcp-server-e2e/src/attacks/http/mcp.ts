import assert from 'node:assert/strict';

import type { HttpAttack } from './http-attack.js';
import { beginSession, ping, sendMcp, statusOfMcp } from './mcp-call.js';
import type { RawCall } from './raw-call.js';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const message = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`;

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
];
