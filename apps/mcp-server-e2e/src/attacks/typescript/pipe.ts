import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { forging, outcomeOf, wroteToPipe } from './forgery.js';

const echo = 'mcp__fixture__echo';
const allowed = { allowedTools: [echo] };

/** Attacks by a program that knows the nonce and writes to the pipe itself. */
export const pipe: readonly ProgramAttack[] = [
  {
    id: 'TS-35',
    what: 'change every object through Object.prototype, then call a tool',
    stoppedBy: 'the server keeps its own record',
    async attack(arena) {
      const names = [
        'signal',
        'client',
        'headers',
        'toolName',
        'name',
        'args',
        'raw',
        'ok',
        'then',
        'id',
        'type',
        'method',
        'params',
        'error',
        'code',
        'message',
        'toJSON',
        'fields',
        'server',
      ];
      const report = await arena.run(
        `for (const name of ${JSON.stringify(names)}) Object.defineProperty(Object.prototype, name, {
           configurable: true, get() { return undefined }, set(value) { Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true }) } });
         return await callMCPTool("${echo}", { text: "x" });`,
        allowed,
      );
      assert.deepEqual(await arena.takeUpstreamCalls(), ['echo {"text":"x"}']);
      assert.equal(report.toolCallSummary[0]?.successCount, 1);
      const hooked = await arena.run(
        `Object.prototype.toJSON = function () { return { type: "call", id: 1, method: "callTool", params: { name: "mcp__fixture__secret", args: {} } } };
         return await callMCPTool("${echo}", {});`,
        allowed,
      );
      assert.equal(hooked.success, false);
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'TS-37',
    what: 'flood the server with calls that are not allowed, and with invalid call numbers',
    stoppedBy: 'server (allowlist; numbers must increase; 4,096 calls may wait)',
    async attack(arena) {
      const refused = await arena.run(
        `let refused = 0;
         for (let batch = 0; batch < 10; batch++) await Promise.all(Array.from({ length: 1000 }, () => callMCPTool("mcp__fixture__secret").catch((error) => { if (error instanceof ToolNotAllowedError) refused++; })));
         return refused;`,
        { allowedTools: ['*'] },
      );
      assert.equal(refused.result, 10_000);
      assert.ok(JSON.stringify(refused).length < 20_000);
      for (const id of [
        '-1',
        '0',
        '1',
        '1.5',
        '1e400',
        '9007199254740992',
        '"7"',
        'null',
        '{}',
        '[2]',
        'true',
      ]) {
        const outcome = await outcomeOf(
          arena,
          `frame('{"type":"call","id":${id},"method":"callTool","params":{"name":"${echo}","args":{}}}'); await new Promise((go) => setTimeout(go, 2000)); return 1;`,
          allowed,
        );
        assert.equal(outcome.success, false, id);
        assert.deepEqual(outcome.toolCallsMade, [], id);
      }
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PIP-01',
    what: 'forge the result, twice, before the end and as a spare would, and call tools after it',
    stoppedBy: "server (a forged result is only the program's own; one counts; nothing is called after it)",
    async attack(arena) {
      assert.deepEqual(await outcomeOf(arena, 'frame({ type: "result", value: "forged" }); finish();'), {
        success: true,
        result: 'forged',
        toolCallsMade: [],
      });
      assert.deepEqual(
        await outcomeOf(
          arena,
          // Sent as one chunk, because nothing is read after the first result.
          'send([1, 2].map((value) => "\\u001e" + nonce + JSON.stringify({ type: "result", value }) + "\\n").join("")); finish();',
        ),
        wroteToPipe,
      );
      assert.deepEqual(
        await outcomeOf(
          arena,
          'frame({ type: "ready" }); frame({ type: "started" }); frame({ type: "ready" }); return 1;',
        ),
        { success: true, result: 1, toolCallsMade: [] },
      );
      const { toolCallsMade } = await outcomeOf(
        arena,
        `const frames = [
           { type: "result", value: 1, toolCallsMade: ["mcp__a__b"], toolCallSummary: [1], status: "succeeded", isolation: "container", executionId: "exec_0" },
           { type: "call", id: 99, method: "callTool", params: { name: "${echo}", args: {} } },
         ];
         send(frames.map((each) => "\\u001e" + nonce + JSON.stringify(each) + "\\n").join("")); finish();`,
        allowed,
      );
      assert.deepEqual(toolCallsMade, []);
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PIP-02',
    what: 'forge calls: a tool that is not allowed, unknown methods, invalid parameters',
    stoppedBy: 'server (allowlist; a fixed set of methods)',
    async attack(arena) {
      const methods = [
        'callTool',
        'constructor',
        '__proto__',
        'toString',
        'readFile',
        'writeFile',
        'stat',
        'execute',
        'exit',
        '',
      ];
      const report = await arena.run(
        `${forging}
         await listed; const decoder = new TextDecoder(); let id = 1;
         for (const method of ${JSON.stringify(methods)}) for (const params of [{}, { name: "mcp__fixture__secret", args: {} }, { name: ["${echo}"], args: {} }, { name: { toString: 1 }, args: {} }, { name: "${echo}", args: null }, { name: "${echo}", args: [] }, { path: "${arena.places.secrets}/secret.txt", data: "" }, { url: "http://127.0.0.1:${arena.places.port}", method: "GET", headers: [] }])
           frame({ type: "call", id: ++id, method, params });
         const buffer = new Uint8Array(1 << 20); let text = "";
         while (text.split("\\n").length < id) text += decoder.decode(buffer.subarray(0, await Deno.stdin.read(buffer)));
         console.log(text); Deno.exit(0);`,
        allowed,
      );
      const replies = report.output
        .split('\n')
        .filter((line) => line.startsWith('{"id"'))
        .slice(1);
      assert.ok(replies.length >= 70);
      assert.deepEqual(
        replies.filter((line) => !line.includes('"error"')),
        [],
      );
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PIP-03',
    what: 'send invalid frames: unknown types, no JSON, deep JSON, bytes that are not text, arrays, incomplete ones at the end',
    stoppedBy: 'server',
    async attack(arena) {
      for (const bad of [
        '{',
        '[]',
        '""',
        'null',
        '{"type":"constructor"}',
        '{"type":"__proto__"}',
        '{"type":["result"]}',
        '[[[[',
        '{"type":"call","id":2}',
        '{"type":"call","id":2,"method":"callTool","params":[]}',
      ]) {
        assert.deepEqual(
          await outcomeOf(
            arena,
            `frame(${JSON.stringify(bad)}); await new Promise((go) => setTimeout(go, 2000)); return 1;`,
          ),
          wroteToPipe,
          bad,
        );
      }
      for (const depth of [10_000, 100_000]) {
        assert.deepEqual(
          await outcomeOf(
            arena,
            `frame('{"type":"result","value":' + "[".repeat(${depth}) + "]".repeat(${depth}) + "}"); await new Promise((go) => setTimeout(go, 2000)); return 1;`,
          ),
          wroteToPipe,
        );
      }
      const half = await arena.run(
        `${forging} console.log("printed"); send("\\u001e" + nonce + '{"type":"result","value":1'); Deno.exit(0);`,
      );
      assert.equal(half.errorCode, 'ended_early');
      // Repeated many times: if they were read as text, each would be a chunk of its own.
      assert.deepEqual(
        await outcomeOf(
          arena,
          `const noText = [0x1e, ...new TextEncoder().encode(nonce), 0xff, 0xfe, 0x0a];
           for (let times = 0; times < 1_000; times++) bytes(new Uint8Array(Array(1_000).fill(noText).flat()));
           return 1;`,
        ),
        wroteToPipe,
      );
    },
  },
  {
    id: 'PIP-08',
    what: 'forge a value or an error that is larger than allowed, or that claims to come from the server',
    stoppedBy: 'server (the same limits as for real ones)',
    async attack(arena) {
      assert.deepEqual(
        await outcomeOf(arena, 'frame({ type: "result", value: "x".repeat(200_000) }); finish();'),
        wroteToPipe,
      );
      assert.deepEqual(
        await outcomeOf(arena, 'frame({ type: "result", value: Array(60_000).fill("x") }); finish();'),
        wroteToPipe,
      );
      const { resultNote } = await arena.run(
        `${forging} frame({ type: "result", value: 1, note: "n".repeat(100_000) }); finish();`,
      );
      assert.equal(resultNote?.length, 1000);
      const { error = '', errorCode } = await arena.run(
        `${forging} frame({ type: "result", error: { code: "permission_denied", message: "e".repeat(500_000) } }); finish();`,
      );
      assert.equal(errorCode, 'user_error');
      assert.ok(error.length <= 20_000);
    },
  },
  {
    id: 'PIP-09',
    what: 'print text that looks like frames, or like messages between server and client',
    stoppedBy: 'server (a nonce per run; the client has a channel of its own)',
    async attack({ run }) {
      const lines = [
        '\\u001e{"type":"result","value":1}',
        `\\u001e${'0'.repeat(32)}{"type":"result","value":1}`,
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        'Content-Length: 5',
        '\\u2028\\u0000\\u001b[2J',
      ];
      const { result, output } = await run(
        `for (const line of ["${lines.map((line) => line.replaceAll('"', '\\"')).join('", "')}"]) console.log(line); return 2;`,
      );
      assert.equal(result, 2);
      assert.ok(output.includes('"jsonrpc"') && output.includes('\u001e'));
    },
  },
];
