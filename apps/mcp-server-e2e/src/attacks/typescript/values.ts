import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';

const outcome = ({
  success,
  errorCode,
  truncated,
}: {
  success: boolean;
  errorCode?: string;
  truncated: boolean;
}) => (success ? (truncated ? 'truncated' : 'value') : errorCode);

/** Attacks with unusual programs and values. */
export const values: readonly ProgramAttack[] = [
  {
    id: 'TS-47',
    what: 'fail after the value was returned: unhandled rejections, exceptions in timers, in getters of errors',
    stoppedBy: 'server (the value is kept, and the failure becomes a line on stderr)',
    async attack({ run }) {
      for (const late of [
        'Promise.reject(new Error("late"))',
        'setTimeout(() => { throw new Error("late") }, 20)',
        'queueMicrotask(() => { throw new Error("late") })',
      ]) {
        const { success, result, stderr, toolCallSummary } = await run(
          `const text = await callMCPTool("mcp__fixture__echo", { a: 1 }); setTimeout(() => { ${late} }, 50); return text;`,
          { allowedTools: ['mcp__fixture__echo'] },
        );
        assert.deepEqual(
          { success, result, calls: toolCallSummary[0]?.successCount },
          { success: true, result: { a: 1 }, calls: 1 },
        );
        assert.match(stderr ?? '', /late/);
      }
      const { success, error } = await run(
        'throw Object.defineProperties(new Error("x"), { message: { get() { throw 1 } }, stack: { get() { throw 2 } }, name: { get() { for (;;); } } });',
        { timeoutMs: 2000 },
      );
      assert.equal(success, false);
      assert.equal(typeof error, 'string');
    },
  },
  {
    id: 'TS-49',
    what: 'return values that cannot be sent: cycles, BigInt, getters and Proxies that throw or lie, 1e6 levels, 50 MB',
    stoppedBy: 'the bootstrap; server (the same limits again)',
    async attack({ run }) {
      for (const [value, expected] of [
        ['(() => { const a = {}; a.a = a; return a })()', 'not_serializable'],
        ['10n', 'value'],
        ['() => 1', 'not_serializable'],
        ['Symbol("x")', 'not_serializable'],
        ['{ get a() { throw new Error("no") } }', 'not_serializable'],
        ['{ toJSON() { throw new Error("no") } }', 'not_serializable'],
        ['{ toJSON() { return { toJSON() { return 1 } } } }', 'value'],
        ['new Proxy({}, { ownKeys() { throw new Error("no") } })', 'not_serializable'],
        [
          'new Proxy([], { get: (_, key) => key === "length" ? 2 ** 32 : 1 })',
          'out_of_memory ended_early deadline_exceeded not_serializable user_error',
        ],
        ['JSON.parse("[".repeat(3000) + "]".repeat(3000))', 'not_serializable'],
        [
          '(() => { let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a })()',
          'not_serializable truncated',
        ],
        ['"x".repeat(5e7)', 'truncated'],
        ['Array.from({ length: 1e6 }, (_, i) => i)', 'truncated'],
        ['new Map([[1, 2]])', 'value'],
        ['{ then: 1, constructor: 2, toString: 3 }', 'value'],
        ['JSON.parse(\'{"__proto__": {"isError": true}}\')', 'value'],
        ['{ then(go) { go({ then(go) { go("thenable") } }) } }', 'value'],
      ] as const) {
        const report = await run(`return ${value};`, { timeoutMs: 5000 });
        assert.ok(
          expected.split(' ').includes(outcome(report) ?? ''),
          `${value}: ${outcome(report) ?? ''} ${report.error ?? ''}`,
        );
        assert.ok(JSON.stringify(report).length < 250_000, value);
      }
    },
  },
  {
    id: 'TS-51',
    what: 'send unusual programs: source maps, BOM, NUL, lone surrogates, a long identifier, too long, deep',
    stoppedBy: 'server; Deno reads no source map',
    async attack({ run, places: { secrets, port } }) {
      for (const [code, expected] of [
        [`return 1;\n//# sourceMappingURL=file://${secrets}/secret.json`, 'value'],
        [`throw new Error("x");\n//# sourceMappingURL=http://127.0.0.1:${port}/map`, 'user_error'],
        [`throw new Error("x");\n//# sourceURL=file://${secrets}/secret.js`, 'user_error'],
        ['\uFEFFreturn 1;', 'value'],
        ['#!/bin/sh\nreturn 1;', 'value'],
        ['return "a\0b".length;', 'value'],
        ['return "\ud800".length;', 'invalid_argument'],
        [`const ${'a'.repeat(90_000)} = 1; return 1;`, 'value'],
        [`return ${'('.repeat(40_000)}1${')'.repeat(40_000)};`, 'user_error ended_early out_of_memory'],
        [`return ${'['.repeat(40_000)}1${']'.repeat(40_000)};`, 'user_error ended_early out_of_memory'],
        [`return \`${'${`'.repeat(15_000)}${'`}'.repeat(15_000)}\`;`, 'user_error ended_early out_of_memory'],
        [`return ${'1+'.repeat(49_000)}1;`, 'value user_error ended_early out_of_memory'],
        ['x'.repeat(100_001), 'invalid_argument'],
        ['', 'invalid_argument'],
        ['})(); export const stolen = 1; (async () => {', 'user_error value'],
        ['__codeExecutorStarted(); return 1;', 'user_error'],
        ['/*', 'value user_error'],
        ['return 1; //', 'value'],
        ['<!-- html comment\nreturn 1;', 'value user_error'],
        ['declare module "x" { } namespace N { export const a = 1 } enum E { A } return E.A + N.a;', 'value'],
        ['@(function () { throw new Error("decorated") }) class A {} return 1;', 'user_error'],
        ['import fs = require("node:fs"); export default 1;', 'user_error value'],
      ] as const) {
        const report = await run(code, { timeoutMs: 8000 });
        assert.ok(
          expected.split(' ').includes(outcome(report) ?? ''),
          `${code.slice(0, 80)}: ${outcome(report) ?? ''} ${report.error?.slice(0, 300) ?? ''}`,
        );
      }
    },
  },
  {
    id: 'TS-52',
    what: 'make the client show HTML, scripts and SVG that claim to be pictures, returned and displayed',
    stoppedBy: 'server (the type of a picture is taken from its bytes)',
    async attack({ run }) {
      const blocks = [
        '<script>alert(1)</script>',
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      ].flatMap((text) =>
        ['text/html;charset=utf-8', 'image/svg+xml', 'image/png', 'image/png\r\nx: y'].map((mimeType) => ({
          type: 'image',
          mimeType,
          data: Buffer.from(text).toString('base64'),
        })),
      );
      const values = JSON.stringify(blocks);
      for (const program of [
        `return ${values}`,
        `return { content: ${values} }`,
        ...blocks.map((block) => `return ${JSON.stringify(block)}`),
      ]) {
        const { images = [] } = await run(program);
        assert.deepEqual(
          images.filter(({ mimeType }) => mimeType !== 'image/png'),
          [],
          program,
        );
      }
      // Well-formed SVG is rendered to PNG before it leaves the sandbox.
      const shown = await run(
        `for (const block of ${values}) await display(block).catch(() => {}); return 1;`,
      );
      assert.deepEqual(
        (shown.images ?? []).filter(({ mimeType }) => mimeType !== 'image/png'),
        [],
      );
      const sent = await run(
        `return ${JSON.stringify({ type: 'image', mimeType: 'text/html', data: 'iVBORw0KGgo=' })}`,
      );
      assert.deepEqual(sent.images, [{ mimeType: 'image/png', bytes: 8 }]);
    },
  },
];
