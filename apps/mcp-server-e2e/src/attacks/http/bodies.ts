import assert from 'node:assert/strict';

import type { HttpAttack } from './http-attack.js';
import { statusOfRaw } from './raw-call.js';

const echo = 'mcp__fixture__echo';
const bytes = (text: string, encoding: BufferEncoding) => Uint8Array.from(Buffer.from(text, encoding));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const keys = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":1`).join();
const withParams = (params: string) => `{"toolName":"${echo}","params":${params}}`;
/** Much longer than reading a body takes, but too short to harm other clients. */
const maxAnswerMs = 3000;

/** Attacks with bodies that are not a call, or more than one. */
export const bodies: readonly HttpAttack[] = [
  {
    id: 'PRX-11',
    what: 'send hostile JSON: broken, not UTF-8, other top levels, 100,000 levels or keys, __proto__, repeated names, 1e999',
    stoppedBy:
      'server (1 MB, UTF-8, 200 levels, no __proto__; the tool that is checked is the one that is called)',
    async attack(arena) {
      const refused: readonly [number, string | Uint8Array<ArrayBuffer>][] = [
        ...[
          ...['', ' ', '{', '}', '{}}', '{"toolName":', `{"toolName":"${echo}"`, `{"toolName":"${echo}"},`],
          ...[`{'toolName':'${echo}'}`, `{toolName:"${echo}"}`, `{"toolName":"${echo}",}`, `// x\n{}`],
          ...[`{"toolName":"${echo}\n"}`, `{"toolName":"${echo}"}\0`, `{"toolName":"\\x41"}`],
          ...['NaN', 'Infinity', '-', '01', '0x1', '1e', 'undefined', 'nul'],
          ...['[]', '"text"', '1', '1e999', 'null', 'true', `["${echo}"]`, `"${echo}"`],
          ...['{}', '{"toolName":1}', '{"toolName":null}', `{"toolName":["${echo}"]}`],
          ...[`{"toolName":{"toString":"${echo}"}}`, `{"toolname":"${echo}"}`],
          ...['[]', '"text"', '1', 'null', 'NaN', `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`].map(
            withParams,
          ),
          ...[withParams(nested(100_000)), nested(100_000), '['.repeat(900_000), '{"a":'.repeat(150_000)],
          ...['{"__proto__":{"toolName":"x"}}', withParams('{"__proto__":{"x":1}}')],
          ...[withParams('{"\\u005f_proto__":1}'), withParams('{"constructor":{"prototype":{"x":1}}}')],
          ...[`{"toolName":"${echo}","allowedTools":["*"]}`, `{"toolName":"${echo}",${keys(60_000)}}`],
          ...[`\u{feff}{"toolName":"${echo}"}`],
        ].map((body): [number, string] => [400, body]),
        [400, bytes(`{"toolName":"${echo}"}`, 'utf16le')],
        [400, bytes(`\xef\xbb\xbf{"toolName":"${echo}"}`, 'latin1')],
        [400, bytes(`{"toolName":"${echo}\xff"}`, 'latin1')],
        [400, bytes(`{"toolName":"mcp__fixture__\xc1\xa5cho"}`, 'latin1')],
        // Of repeated names, the last one is checked, and is also the one that would be called.
        [403, `{"toolName":"${echo}","toolName":"mcp__fixture__secret"}`],
      ];
      for (const [status, body] of refused) {
        const began = Date.now();
        const answer = await arena.post(body);
        const what = `${String(body.slice(0, 60))}: ${answer.text.slice(0, 200)}`;
        assert.equal(answer.status, status, what);
        assert.ok(answer.text.length < 1000, what);
        assert.ok(Date.now() - began < maxAnswerMs, `${Date.now() - began} ms for ${what}`);
      }
      for (const params of [`{${keys(1_000_000)}}`, `{"a":"${'x'.repeat(1_000_000)}"}`]) {
        // The server closes the connection while we are still sending, so its answer may be lost.
        const status = await statusOfRaw(arena, { body: withParams(params) });
        assert.ok([0, 413].includes(status), String(status));
      }
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
      for (const [body, reached] of [
        [`{"toolName":"mcp__fixture__secret","toolName":"${echo}"}`, 'echo {}'],
        [withParams('{"a":1,"a":2}'), 'echo {"a":2}'],
        // JSON cannot represent numbers beyond its range in any other way.
        [withParams('{"n":1e999}'), 'echo {"n":null}'],
        [withParams(`{"a":${nested(190)}}`), `echo {"a":${nested(190)}}`.slice(0, 205)],
        [withParams(`{${keys(60_000)}}`), `echo {${keys(60_000)}}`.slice(0, 205)],
      ] as const) {
        const began = Date.now();
        assert.equal((await arena.post(body)).status, 200, body.slice(0, 80));
        assert.ok(Date.now() - began < maxAnswerMs, `${Date.now() - began} ms for ${body.slice(0, 80)}`);
        assert.deepEqual(await arena.takeUpstreamCalls(), [reached]);
      }
    },
  },
];
