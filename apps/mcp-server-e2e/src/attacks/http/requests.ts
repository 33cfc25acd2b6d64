import assert from 'node:assert/strict';

import type { HttpAttack } from './http-attack.js';
import { echoCall, type RawCall, statusOfRaw } from './raw-call.js';

/** Attacks with requests that two parsers might read differently, and with requests of web pages. */
export const requests: readonly HttpAttack[] = [
  {
    id: 'PRX-05',
    what: 'send another Host, none or two, HTTP/1.0, a URL as target, two lengths, other methods',
    stoppedBy: 'server (only the Host that it listens on; HTTP/1.1 only); the HTTP parser',
    async attack(arena) {
      const own = `127.0.0.1:${arena.port}`;
      const hosts: [number, ...string[]][] = [
        ...[
          'evil.example',
          `evil.example:${arena.port}`,
          `localhost:${arena.port}`,
          `localhost.evil.example:${arena.port}`,
          '127.0.0.1',
          `127.0.0.1:${arena.port + 1}`,
          `127.0.0.1:0${arena.port}`,
          `${own}.evil.example`,
          `127.0.0.1.:${arena.port}`,
          `127.1:${arena.port}`,
          `2130706433:${arena.port}`,
          `0x7f000001:${arena.port}`,
          `0.0.0.0:${arena.port}`,
          `[::1]:${arena.port}`,
          `[::ffff:7f00:1]:${arena.port}`,
          `user@${own}`,
          `${own}/`,
          `${own},${own}`,
          '',
        ].map((host): [number, string] => [421, `Host: ${host}`]),
        [400],
        [400, `Host: ${own}`, `Host: ${own}`],
        [400, `Host: ${own}`, 'Host: evil.example'],
        [400, 'Host: evil.example', `Host: ${own}`],
        [400, `Host : ${own}`],
        [421, 'Host: evil.example', `X-Forwarded-Host: ${own}`, `Forwarded: host="${own}"`],
      ];
      for (const [status, ...host] of hosts)
        assert.equal(await statusOfRaw(arena, { host }), status, host.join('\n'));

      const calls: [number, RawCall][] = [
        [400, { target: 'POST / HTTP/1.0' }],
        [400, { target: 'POST / HTTP/2.0' }],
        [400, { target: 'POST /' }],
        [400, { target: `POST http://${own}/ HTTP/1.1` }],
        [400, { target: 'POST http://evil.example/ HTTP/1.1' }],
        [400, { target: 'OPTIONS * HTTP/1.1' }],
        [0, { target: `CONNECT ${own} HTTP/1.1` }],
        [404, { target: `POST //${own}/ HTTP/1.1` }],
        [404, { target: 'POST /../ HTTP/1.1' }],
        [404, { target: 'POST /%2e%2e/ HTTP/1.1' }],
        ...['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'GET', 'TRACE'].map((method): [number, RawCall] => [
          405,
          { target: `${method} / HTTP/1.1` },
        ]),
        [400, { target: 'PRI * HTTP/2.0' }],
        [400, { headers: ['Transfer-Encoding: chunked'] }],
        [400, { headers: ['Transfer-Encoding: xchunked'], content: [] }],
        [400, { headers: ['Transfer-Encoding: identity, chunked', 'Transfer-Encoding: x'], content: [] }],
        ...['+33', '0x21', '-1', '33, 33', '3 3'].map((length): [number, RawCall] => [
          400,
          { content: ['Content-Type: application/json', `Content-Length: ${length}`] },
        ]),
        [400, { headers: [`Content-Length: ${echoCall.length}`] }],
        [400, { headers: ['Content-Length: 0'] }],
        [400, { headers: ['X: a\0b'] }],
        [400, { headers: ['X: a\rY: b'] }],
        [431, { headers: [`X: ${'x'.repeat(20_000)}`] }],
        [415, { headers: ['Content-Encoding: gzip'] }],
        [415, { content: [`Content-Length: ${echoCall.length}`] }],
        [415, { content: ['Content-Type: text/plain', `Content-Length: ${echoCall.length}`] }],
      ];
      for (const [status, call] of calls)
        assert.equal(await statusOfRaw(arena, call), status, JSON.stringify(call));
      assert.deepEqual(await arena.takeUpstreamCalls(), []);

      // Bytes that follow a request on its connection are another request, which needs its own token.
      const smuggled = `POST / HTTP/1.1\r\nHost: ${own}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${echoCall.length}\r\n\r\n${echoCall}`;
      const head = `POST / HTTP/1.1\r\nHost: ${own}\r\nAuthorization: Bearer ${arena.tokens.constructor}\r\nContent-Type: application/json\r\nContent-Length: ${echoCall.length}\r\n\r\n${echoCall}`;
      const answers = await arena.exchange(head + smuggled);
      assert.deepEqual(
        [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        ['200', '401'],
      );
      assert.deepEqual(await arena.takeUpstreamCalls(), ['echo {}']);
    },
  },
  {
    id: 'PRX-07',
    what: 'be a web page: of a name that was rebound to this address, with and without a stolen token, or of another site',
    stoppedBy: 'server (Host; no Origin, no other site; JSON only; no CORS)',
    async attack(arena) {
      const page = 'http://evil.example';
      const own = `http://127.0.0.1:${arena.port}`;
      const rebound = [`Host: evil.example:${arena.port}`];
      const same = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors'];
      for (const authorization of [[], [`Authorization: Bearer ${arena.tokens.constructor}`]]) {
        for (const target of ['POST / HTTP/1.1', 'GET /mcp/tools HTTP/1.1']) {
          const from = { target, authorization };
          assert.equal(await statusOfRaw(arena, { ...from, host: rebound }), 421);
          assert.equal(await statusOfRaw(arena, { ...from, host: rebound, headers: same }), 421);
          for (const headers of [
            [`Origin: ${page}`],
            [`Origin: ${own}`],
            ['Origin: null'],
            ['Origin:'],
            ...['cross-site', 'same-site', 'same-origin', 'None', 'none, cross-site'].map((site) => [
              `Sec-Fetch-Site: ${site}`,
            ]),
          ])
            assert.equal(await statusOfRaw(arena, { ...from, headers }), 403, headers.join());
        }
      }
      // Requests that a page may send to another site without a preflight.
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const content = [`Content-Type: ${type}`, `Content-Length: ${echoCall.length}`];
        assert.equal(await statusOfRaw(arena, { content }), 415);
      }
      for (const headers of [
        [`Origin: ${page}`, 'Access-Control-Request-Method: POST'],
        ['Access-Control-Request-Method: POST', 'Access-Control-Request-Private-Network: true'],
      ])
        assert.notEqual(await statusOfRaw(arena, { target: 'OPTIONS / HTTP/1.1', headers }), 200);
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
      const { answers, log } = arena.output;
      assert.ok(!/access-control-/i.test(answers + log), 'An answer contains CORS headers.');
    },
  },
];
