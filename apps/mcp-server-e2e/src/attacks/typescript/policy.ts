import assert from 'node:assert/strict';

import type { ProgramAttack } from '../arena/program-attack.js';
import { attemptProgram, outcomesOf } from './attempts.js';
import { all, call, codeOf } from './tool-calls.js';

/** Attacks on the policy: which tools a program may call, with which arguments, and what it learns. */
export const policy: readonly ProgramAttack[] = [
  {
    id: 'PRX-13',
    what: 'call a denied tool by a similar name: case, blanks, look-alikes, zero-width characters, escapes, objects',
    stoppedBy: 'server (names are compared exactly)',
    async attack(arena) {
      const names = [
        ...[
          'MCP__FIXTURE__SECRET',
          'mcp__fixture__Secret',
          'mcp__fixture__secret ',
          ' mcp__fixture__secret',
          'mcp__fixture__secret.',
          'mcp__fixture__secret\0',
          'mcp__fixture__secret\n',
        ],
        ...[
          'mcp__fixture__\u017fecret',
          'mcp__fixture__s\u0435cret',
          'mcp__fixture__\uff53ecret',
          'mcp__fixture__secre\u0301t',
          'mcp__fixture__se\u200bcret',
          'mcp__fixture__se\u00adcret',
        ],
        ...[
          'mcp__fixture__%73ecret',
          'mcp__fixture__\\u0073ecret',
          'mcp__fixture__./secret',
          'mcp__fixture____secret',
          'mcp__fixture__secret__',
          'mcp__fixture__*',
          'mcp__*__secret',
          '*',
          'secret',
          'fixture__secret',
          'mcp__other__secret',
          '__proto__',
          'constructor',
          '',
        ],
      ];
      const values = [
        '["mcp__fixture__secret"]',
        '{ toString: () => "mcp__fixture__secret" }',
        'new String("mcp__fixture__secret")',
        'Symbol("x")',
        '1',
        'null',
        'undefined',
        '"x".repeat(500_000)',
      ];
      const attempts = [...names.map((name) => JSON.stringify(name)), ...values].map(
        (name) => `callMCPTool(${name}, {})`,
      );
      const outcomes = outcomesOf(
        await arena.run(attemptProgram(attempts), {
          allowedTools: ['*', 'mcp__fixture__*', 'mcp__fixture__secret'],
        }),
      );
      assert.deepEqual(
        outcomes.filter(({ refusal }) => refusal === undefined),
        [],
      );
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PRX-15',
    what: "allow itself more than the server's ceiling: *, patterns, repeated names, an empty list",
    stoppedBy: "server (ceiling, then deny, then the caller's list)",
    async attack(arena) {
      for (const [allowedTools, tool, expected] of [
        [['*'], 'mcp__fixture__secret', 'permission_denied'],
        [['mcp__*'], 'mcp__fixture__secret', 'permission_denied'],
        [['mcp__fixture__secret', 'mcp__fixture__*'], 'mcp__fixture__secret', 'permission_denied'],
        [['*'], 'mcp__other__fail', 'permission_denied'],
        [['mcp__other__*'], 'mcp__other__fail', 'permission_denied'],
        [[], 'mcp__fixture__echo', 'permission_denied'],
        [undefined, 'mcp__fixture__echo', 'permission_denied'],
        [['mcp__fixture__ech'], 'mcp__fixture__echo', 'permission_denied'],
        [['mcp__fixture__echo '], 'mcp__fixture__echo', 'permission_denied'],
        [['mcp__fixture__echo'], 'mcp__fixture__echo', 'done'],
        [['*'], 'mcp__other__echo', 'done'],
      ] as const) {
        assert.equal(
          await codeOf(arena, call(tool), allowedTools && [...allowedTools]),
          expected,
          `${tool} by ${JSON.stringify(allowedTools)}`,
        );
      }
      assert.deepEqual(await arena.takeUpstreamCalls(), ['echo {}', 'echo {}']);
      for (const allowedTools of [
        '*',
        [1],
        [['*']],
        { 0: '*' },
        ['x'.repeat(300)],
        Array(2000).fill('a'),
      ] as unknown as string[][]) {
        const { errorCode } = await arena.run(call('mcp__fixture__echo'), { allowedTools });
        assert.equal(errorCode, 'invalid_argument');
      }
    },
  },
  {
    id: 'PRX-14',
    what: 'send a tool arguments that its schema forbids',
    stoppedBy: 'server (JSON Schema)',
    async attack(arena) {
      for (const args of [
        '{}',
        '{ amount: 0 }',
        '{ amount: 11 }',
        '{ amount: 1.5 }',
        '{ amount: "1" }',
        '{ amount: 1, other: 1 }',
        'JSON.parse(\'{"__proto__":{"amount":1}}\')',
        '{ amount: [1] }',
        'Object.create({ amount: 1 })',
      ]) {
        assert.equal(
          await codeOf(arena, `await callMCPTool("mcp__fixture__pay", ${args})`, ['*']),
          'invalid_argument',
          args,
        );
      }
      assert.deepEqual(await arena.takeUpstreamCalls(), []);
    },
  },
  {
    id: 'PRX-17',
    what: "block the server with arguments that make a pattern in a tool's schema backtrack",
    stoppedBy: 'server (after 250 ms this call is refused, and no other)',
    async attack(arena) {
      const endless = call('mcp__fixture__match', { text: `${'a'.repeat(32)}!` });
      const { result, executionTimeMs } = await arena.run(
        `return await (async () => ${endless})().catch((error) => error.code)`,
        all,
      );
      // On a busy machine the check may not have got any CPU time.
      assert.match(result as string, /^(?:resource_exhausted|unavailable)$/);
      assert.ok(executionTimeMs < 8000, `${executionTimeMs} ms`);
      // The schema is still checked afterwards, also for other calls.
      const others = await arena.run(
        `return [${call('mcp__fixture__match', { text: 'aaa' })}, await (async () => ${call('mcp__fixture__match', { text: 'b' })})().catch((error) => error.code)]`,
        all,
      );
      assert.deepEqual(others.result, ['matched', 'invalid_argument']);
    },
  },
  {
    id: 'PRX-16',
    what: 'use more calls and more bytes of results than one execution may',
    stoppedBy: 'server (1,000 calls, 64 MB)',
    async attack(arena) {
      const patiently = { ...all, timeoutMs: 60_000 };
      const { result } = await arena.run(
        `const codes = {}; for (let i = 0; i < 1100; i++) await callMCPTool("mcp__fixture__echo").then(() => "done", (error) => error.code).then((code) => codes[code] = (codes[code] ?? 0) + 1); return codes;`,
        patiently,
      );
      assert.deepEqual(result, { done: 1000, resource_exhausted: 100 });
      const bytes = await arena.run(
        `let got = 0; try { for (;;) got += (await callMCPTool("mcp__fixture__big", { bytes: 8e6 })).length } catch (error) { return { code: error.code, got } }`,
        patiently,
      );
      const { code, got } = bytes.result as { code: string; got: number };
      assert.equal(code, 'resource_exhausted');
      assert.ok(got <= 64 * 1024 * 1024);
    },
  },
  {
    id: 'PRX-18',
    what: 'make the report itself large: a thousand names that do not exist, long errors',
    stoppedBy: 'server (1,000 calls; names and messages are truncated)',
    async attack({ run }) {
      const report = await run(
        `await Promise.all(Array.from({ length: 3000 }, (_, i) => callMCPTool("mcp__fixture__" + "\\0".repeat(200) + i).catch(() => {}))); await callMCPTool("mcp__fixture__fail", { message: "x".repeat(500_000) });`,
        all,
      );
      assert.equal(report.success, false);
      assert.ok(JSON.stringify(report).length < 4_000_000, `${JSON.stringify(report).length} characters`);
    },
  },
  {
    id: 'PRX-20',
    what: 'learn more from discovery than the names and descriptions of tools',
    stoppedBy: 'server (metadata only; what is forbidden says so)',
    async attack({ run }) {
      const { result } = await run(
        'return { all: await discoverMCPTools(), one: await getToolSchema("mcp__fixture__secret"), found: await searchTools("secret", 5), none: await getToolSchema("__proto__") };',
      );
      const {
        all: tools,
        one,
        none,
      } = result as { all: object[]; one: { unavailable?: { reason: string } }; none: unknown };
      assert.ok(tools.length >= 30);
      assert.match(one.unavailable?.reason ?? '', /forbids/);
      assert.equal(none, null);
      const odd = outcomesOf(
        await run(
          attemptProgram([
            'searchTools("x", 0)',
            'searchTools("x", -1)',
            'searchTools("x", 1.5)',
            'searchTools("x", 1e9).then((found) => found.length < 1e4 ? Promise.reject(new Error("few")) : found)',
            'searchTools("(a+)+$".repeat(1e5)).then(() => Promise.reject(new Error("searched")))',
            'getToolSchema("x".repeat(5e5)).then((tool) => Promise.reject(new Error(String(tool))))',
          ]),
        ),
      );
      assert.deepEqual(
        odd.filter(({ refusal }) => refusal === undefined),
        [],
      );
    },
  },
];
