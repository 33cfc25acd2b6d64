import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { recordsIn, takeRecords } from '../arena/audit-records.js';
import type { ProgramAttack } from '../arena/program-attack.js';
import { forging, outcomeOf, wroteToPipe } from './forgery.js';

const echo = 'mcp__fixture__echo';
const allowed = { allowedTools: [echo] };

/** The most bytes of audit records that one program may cause. */
const maxRecordBytes = 400_000;

/** A program that makes this many searches and refused calls, and then runs `end`. */
const floodRecords = (times: number, end: string) =>
  `for (let batch = 0; batch < ${times / 100}; batch++) {
     await Promise.all(Array.from({ length: 50 }, (_, i) => searchTools("search term " + i)));
     await Promise.all(Array.from({ length: 50 }, () => callMCPTool("mcp__fixture__secret").catch(() => {})));
   }
   ${end}`;

/** Attacks that flood the pipe to the server, or do not read from it. */
export const flow: readonly ProgramAttack[] = [
  {
    id: 'PIP-04',
    what: 'send a frame that is too large, and one that never ends',
    stoppedBy: 'server (1 MB)',
    async attack(arena) {
      assert.deepEqual(
        await outcomeOf(
          arena,
          'frame({ type: "result", value: "x".repeat(1 << 20) }); await new Promise(() => setInterval(() => {}, 100));',
        ),
        wroteToPipe,
      );
      assert.deepEqual(
        await outcomeOf(
          arena,
          'send("\\u001e" + nonce); const many = new Uint8Array(1 << 16).fill(120); for (;;) Deno.stdout.writeSync(many);',
        ),
        wroteToPipe,
      );
      const large = await arena.run(
        `try { await callMCPTool("${echo}", { text: "x".repeat(2 << 20) }) } catch (error) { return error.code }`,
        allowed,
      );
      assert.equal(large.result, 'invalid_argument');
    },
  },
  {
    id: 'PIP-05',
    what: 'have more calls waiting than the server accepts',
    stoppedBy: 'server (4,096 calls may wait)',
    async attack(arena) {
      const { success, errorCode } = await arena.run(
        `${forging} for (let id = 2; id < 10_000; id++) frame('{"type":"call","id":' + id + ',"method":"callTool","params":{"name":"mcp__fixture__slow","args":{"ms":60000}}}'); for (;;);`,
        { allowedTools: ['*'] },
      );
      assert.deepEqual({ success, errorCode }, { success: false, errorCode: 'resource_exhausted' });
    },
  },
  {
    id: 'PIP-06',
    what: 'make many calls and read no replies, so that these pile up in the server',
    stoppedBy: 'server (a call is over only when its reply was read)',
    async attack(arena) {
      // The server's memory is checked after the attack.
      const { errorCode } = await arena.run(
        `${forging} for (let id = 2; id < 100_000; id++) frame('{"type":"call","id":' + id + ',"method":"listTools","params":{}}'); for (;;);`,
        { timeoutMs: 10_000 },
      );
      assert.equal(errorCode, 'resource_exhausted');
      const { errorCode: tools } = await arena.run(
        `${forging} for (let id = 2; id < 500; id++) frame('{"type":"call","id":' + id + ',"method":"callTool","params":{"name":"mcp__fixture__big","args":{"bytes":4000000}}}'); const until = Date.now() + 4000; while (Date.now() < until); Deno.exit(0);`,
        { allowedTools: ['*'], timeoutMs: 10_000 },
      );
      assert.equal(tools, 'ended_early');
      // 16 results fill the budget; up to 32 calls were running at that time.
      const calls = await arena.takeUpstreamCalls();
      assert.ok(calls.filter((call) => call.startsWith('big')).length <= 48);
      // In portable isolation the server reads files, at most four at once until they are taken.
      const { readable } = arena.places;
      const large = join(readable, 'large');
      await writeFile(large, Buffer.alloc(8_000_000));
      const { errorCode: files } = await arena.run(
        `${forging} for (let id = 2; id < 300; id++) frame('{"type":"call","id":' + id + ',"method":"readFile","params":{"path":"${large}"}}'); const until = Date.now() + 3000; while (Date.now() < until); Deno.exit(0);`,
        { permissions: { read: [readable] }, timeoutMs: 10_000 },
      );
      assert.equal(files, 'ended_early');
      await rm(large);
    },
  },
  {
    id: 'PIP-13',
    what: 'fill the disk with records: thousands of searches and of refused calls, also by programs that are cut short',
    stoppedBy: 'server (100 records of a kind, then one that counts the rest)',
    async attack(arena) {
      for (const end of ['return 1', 'for (;;);']) {
        await takeRecords(arena.places);
        const { executionId } = await arena.run(floodRecords(4000, end), { timeoutMs: 10_000 });
        const text = await takeRecords(arena.places);
        assert.ok(text.length < maxRecordBytes, `It wrote ${text.length} bytes.`);
        // Events without their own record are counted.
        for (const type of ['discovery', 'denial']) {
          const records = recordsIn(text).filter((record) => record.type === type);
          const omitted = records.filter(({ action }) => action === 'omitted');
          assert.deepEqual(
            omitted.map((record) => [record.executionId, (record.count ?? 0) + records.length - 1]),
            [[executionId, 2000]],
          );
        }
      }
    },
  },
  {
    id: 'PIP-07',
    what: 'send arguments and results that are meant to confuse the server: __proto__, constructor, deep and wide JSON',
    stoppedBy: 'server (known fields only; objects are never used as maps; depth and size limits)',
    async attack(arena) {
      for (const text of [
        '{"__proto__":{"isError":true,"error":"polluted"}}',
        '{"constructor":{"prototype":{"isError":true}}}',
        '{"a":{"__proto__":{"isError":true}},"__proto__":[]}',
      ]) {
        const report = await arena.run(
          `${forging}
           frame('{"type":"call","id":2,"method":"callTool","params":{"name":"${echo}","args":${text}},"__proto__":{"isError":true}}');
           frame('{"type":"call","id":3,"method":"listTools","params":${text}}');
           frame('{"type":"call","id":4,"method":"callTool","params":{"__proto__":{"name":"${echo}"},"args":{}}}');
           await new Promise((go) => setTimeout(go, 300));
           frame('{"type":"result","value":${text},"__proto__":{"error":{"code":"internal"}}}'); finish();`,
          allowed,
        );
        assert.equal(report.success, true, JSON.stringify(report));
      }
      const clean = await arena.run(`return await callMCPTool("${echo}", { a: 1 })`, allowed);
      assert.deepEqual(clean.result, { a: 1 });
      const deep = await arena.run(
        `let nest = {}; for (let i = 0; i < 5000; i++) nest = { nest };
         try { return await callMCPTool("${echo}", nest) } catch (error) { return String(error.code ?? error.name) }`,
        allowed,
      );
      assert.equal(deep.success, false);
      const wide = await arena.run(
        `const wide = {}; for (let i = 0; i < 60_000; i++) wide["k" + i] = i; return Object.keys(await callMCPTool("${echo}", wide)).length;`,
        allowed,
      );
      assert.equal(wide.result, 60_000);
    },
  },
  {
    id: 'PIP-10',
    what: 'print bytes that are not text: halves of characters, NUL, lone surrogates',
    stoppedBy: 'server (decoded with replacement, sent as JSON)',
    async attack({ run }) {
      const { success, output, result } = await run(
        'Deno.stdout.writeSync(new Uint8Array([0xe2, 0x82, 0x00, 0xff, 0xed, 0xa0, 0x80, 0x0a])); console.log("\\ud800", "\\udfff"); return "\\ud800\\u0000";',
      );
      assert.ok(success && output.includes('\ufffd'));
      assert.equal(typeof result, 'string');
    },
  },
  {
    id: 'PIP-11',
    what: 'break the connection: read the replies directly, close stdin, stdout, stderr',
    stoppedBy: 'server (only the program itself is harmed)',
    async attack({ run }) {
      for (const program of [
        `const stolen = Deno.stdin.read(new Uint8Array(1 << 16)); const call = callMCPTool("${echo}"); await stolen; await call;`,
        `Deno.stdin.close(); await callMCPTool("${echo}");`,
        'Deno.stdout.close(); return 1;',
        'Deno.stdout.close(); Deno.stderr.close(); Deno.stdin.close(); setInterval(() => {}, 100); await new Promise(() => {});',
        'for (const fd of [0, 1, 2]) process.getBuiltinModule("fs").closeSync(fd); return 1;',
      ]) {
        assert.equal((await run(program, { ...allowed, timeoutMs: 3000 })).success, false, program);
      }
    },
  },
  {
    id: 'PIP-12',
    what: 'send slowly: a frame byte by byte, thousands of tiny writes',
    stoppedBy: 'server (bytes are counted, memory is bounded)',
    async attack(arena) {
      const { result } = await arena.run(
        `${forging} const text = new TextEncoder().encode("\\u001e" + nonce + '{"type":"result","value":"slow"}\\n'); for (const byte of text) { Deno.stdout.writeSync(new Uint8Array([byte])); await new Promise((go) => setTimeout(go, 1)); } finish();`,
      );
      assert.equal(result, 'slow');
      const dots = await arena.run(
        'const dot = new Uint8Array([46]); for (let i = 0; i < 20_000; i++) Deno.stdout.writeSync(dot); return 1;',
      );
      assert.equal(dots.output.length, 20_000);
    },
  },
];
