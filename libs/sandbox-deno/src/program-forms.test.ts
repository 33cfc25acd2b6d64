import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';

describe.each(isolationsUnderTest())('DenoSandbox programs (%s)', (isolation) => {
  let sandbox: DenoSandbox;
  beforeAll(() => {
    sandbox = new DenoSandbox({ isolation });
  });
  afterAll(() => sandbox.close());

  const newTools = () =>
    fakeToolSource({
      mcp__t__echo: (args) => ({ text: args['text'] }),
      mcp__t__fail: () => {
        throw new Error('tool said no');
      },
    });
  const run = (code: string, tools = newTools(), timeoutMs = 20_000) =>
    sandbox.execute({ code, timeoutMs, permissions: noPermissions, tools });

  test.each([
    ['a default export', 'export default [1, 2]', [1, 2]],
    ['a promise as default export', 'export default Promise.resolve(7)', 7],
    ['a top-level return', 'return 5', 5],
    ['a return after await', 'await null; return 5', 5],
    ['a trailing comment', 'return 1 // done', 1],
    ['null', 'return null', null],
    ['a Date, by its toJSON', 'return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['an enum', 'enum E { A = 3 }\nreturn E.A', 3],
    ['a namespace', 'namespace N { export const v = 3 }\nexport default N.v', 3],
    [
      'code with types, which are erased',
      'function id<T>(x: T): T { return x }\nreturn id<number>(4) satisfies number',
      4,
    ],
    ['an import', 'import x from "data:text/javascript,export default 4";\nexport default x', 4],
    ['a hashbang line', '#!/usr/bin/env deno\nreturn 1', 1],
    ['a byte order mark', '\uFEFFreturn 1', 1],
    ['a directive', '"use strict";\nreturn 1', 1],
    ['CRLF line ends', 'const a = 1;\r\nreturn a', 1],
    ['a name that shadows a global', 'const callMCPTool = 5; return callMCPTool', 5],
  ])('gives the value of %s', async (_, code, value) => {
    expect(await run(code)).toMatchObject({ status: 'succeeded', value, stderr: '' });
  });

  test('supports standard decorators', async () => {
    const code = `const seen: string[] = [];
function note(value: unknown, context: ClassMethodDecoratorContext) { seen.push(context.kind + ' ' + String(context.name)); return value as any }
class A { @note greet() { return 'hi' } }
return [new A().greet(), ...seen]`;
    expect((await run(code)).value).toEqual(['hi', 'method greet']);
  });

  test.each(['', ' ', '// nothing', 'export const x = 1;', 'return undefined', '1 + 1'])(
    'has no value for %j',
    async (code) => {
      const result = await run(code);
      expect(result.status).toBe('succeeded');
      expect(result).not.toHaveProperty('value');
    },
  );

  test('finishes a main() that is not awaited', async () => {
    const code = `async function main() {
  await new Promise((done) => setTimeout(done, 50));
  console.log(await callMCPTool('mcp__t__echo', { text: 'late' }));
}
main();`;
    expect(await run(code)).toMatchObject({ status: 'succeeded', stdout: '{ text: "late" }\n' });
  });

  test('runs a program only once, whatever it throws', async () => {
    const tools = newTools();
    const result = await run('await callMCPTool("mcp__t__echo", { text: "once" });\nJSON.parse("{");', tools);
    expect(result.error).toMatchObject({ code: 'user_error' });
    expect(result.error?.message).toMatch(/^SyntaxError: .*JSON/);
    expect(result.error?.message).toContain('at program.ts:2:6');
    expect(tools.calls).toHaveLength(1);
  });

  test.each([
    ['const a = 1;\nif (a) {\n return 1;\n', "SyntaxError: Expected '}', got '<eof>'", 'program.ts:3:'],
    ['return <div/>', 'SyntaxError: Expression expected', '1 | return <div/>'],
    [
      'let a = 1; let a = 2; return a;',
      "SyntaxError: Identifier 'a' has already been declared",
      'program.ts:1:16',
    ],
    [
      'export default 1; const a = 1; const a = 2;',
      "SyntaxError: Identifier 'a' has already been declared",
      'program.ts:1:38',
    ],
    [
      'import x from "data:text/javascript,export default 4";\nreturn x;',
      'use "await import()"',
      'SyntaxError',
    ],
  ])('explains why %j cannot be parsed', async (code, ...texts) => {
    const { status, error } = await run(code);
    expect(status).toBe('failed');
    for (const text of texts) expect(error?.message).toContain(text);
    expect(error?.message).not.toMatch(/codeExecutor|blob:|file:/);
  });

  test.each([
    [
      "return await callMCPTool('mcp__up__text',{t:'x'}",
      "SyntaxError: Expected ',', got '<eof>'\n1 | return await callMCPTool('mcp__up__text',{t:'x'}\n  |                                                 ^\n    at program.ts:1:49",
    ],
    [
      'const a = 1;\nconst = 2;',
      'SyntaxError: Unexpected token `=`. Expected yield, an identifier, [ or {\n2 | const = 2;\n  |       ^\n    at program.ts:2:7',
    ],
  ])('quotes only the program in a syntax error: %j', async (code, message) => {
    expect((await run(code)).error?.message).toBe(message);
  });

  test('does not mention imports in the error of a program without any', async () => {
    const { error } = await run('return 1 /* x');
    expect(error?.message).toMatch(/^SyntaxError: /);
    expect(error?.message).not.toContain('import');
  });

  test.each([['a Blob', 'return new Blob(["x"])', 'return await blob.text()']])(
    'refuses %s, which JSON would turn into an empty object',
    async (_, code, text) => {
      const { status, error } = await run(code);
      expect(status).toBe('failed');
      expect(error?.code).toBe('not_serializable');
      expect(error?.message).toContain(text);
    },
  );

  test.each<[string, string, unknown, string | undefined]>([
    ['a Map', 'return { map: new Map([["a", new Map([[{}, 2]])]]) }', { map: { a: [[{}, 2]] } }, undefined],
    ['a Set', 'return new Set([new Set([1])])', [[1]], undefined],
    ['a small BigInt', 'return [5n]', [5], undefined],
    [
      'a large BigInt',
      'return 2n ** 64n',
      '18446744073709551616',
      'Integers beyond 2**53 are shown as text.',
    ],
    ['arrays of numbers', 'return [Float64Array.of(1.5), Uint8Array.of(7).buffer]', [[1.5], [7]], undefined],
    ['an Error', 'return new TypeError("x")', { name: 'TypeError', message: 'x' }, undefined],
    [
      'errors anywhere, with their fields',
      `const error = new AggregateError([new Error('a')], 'all', { cause: 'c' });
return await Promise.allSettled([1, Promise.reject(Object.assign(error, { code: 'E' }))])`,
      [
        { status: 'fulfilled', value: 1 },
        {
          status: 'rejected',
          reason: {
            ...{ name: 'AggregateError', message: 'all', code: 'E', cause: 'c' },
            errors: [{ name: 'Error', message: 'a' }],
          },
        },
      ],
      undefined,
    ],
    [
      'errors of tools',
      "return await Promise.allSettled([callMCPTool('mcp__t__fail')])",
      [
        {
          status: 'rejected',
          reason: {
            ...{ name: 'McpToolError', message: 'tool said no' },
            ...{ code: 'tool_error', tool: 'mcp__t__fail', server: 't' },
          },
        },
      ],
      undefined,
    ],
  ])('keeps the content of %s, which JSON would lose or refuse', async (_, code, value, valueNote) => {
    const result = await run(code);
    expect(result).toMatchObject({ status: 'succeeded', ...(valueNote !== undefined && { valueNote }) });
    expect(result.value).toEqual(value);
  });

  test.each([
    ['npm install lodash', 'a command of a shell; there is none here, and nothing can be installed.'],
    ['$ ls -la', 'a command of a shell; there is none here.'],
    ['ls -la', 'a command of a shell; there is none here.'],
    ['curl https://example.com | jq .', 'a command of a shell'],
    ['#!/bin/sh\necho hello', 'a command of a shell'],
    ['def f(x):\n    return x\nf(1)', 'Python, which executePython runs.'],
    ['import json', 'Python, which executePython runs.'],
    ['from datetime import date', 'Python, which executePython runs.'],
    ['for n in range(3):\n    print(n)', 'Python, which executePython runs.'],
    ['print("a")', 'Python, which executePython runs.'],
  ])('says which language %j looks like', async (code, text) => {
    expect((await run(code)).error?.message).toContain(`\nThis looks like ${text}`);
  });

  test.each(['const find = ;', 'const a = 1;\nreturn a +', 'git = 1', 'undefinedName()', 'null.x'])(
    'does not mistake %j for another language',
    async (code) => {
      const { error } = await run(code);
      expect(error?.code).toBe('user_error');
      expect(error?.message).not.toContain('looks like');
    },
  );

  const cannotImport =
    'cannot be imported: programs import modules of Node, such as "node:crypto", and nothing from npm, the network or files.';
  test.each([
    ["import _ from 'lodash';\nexport default 1", `"lodash" ${cannotImport}`],
    ["import x from 'npm:lodash@4';\nexport default 1", `"npm:lodash@4" ${cannotImport}`],
    ["import x from 'https://esm.sh/lodash';", `"https://esm.sh/lodash" ${cannotImport}`],
    ["import x from './other.ts';", `"./other.ts" ${cannotImport}`],
    ["return await import('lodash')", `TypeError: "lodash" ${cannotImport}`],
    ["return await import('node:nothing')", `TypeError: "node:nothing" ${cannotImport}`],
    ["const fs = require('fs')", 'There is no require; import modules of Node'],
    ["fs.readFileSync('a')", 'Modules of Node are imported: import fs from "node:fs".'],
    ['document.title', 'There is no page and no DOM'],
    ['await listTools()', 'Tools are called with await tools.server.tool(args)'],
    ['await mcp.github.getUser()', 'Tools are called with await tools.server.tool(args)'],
    ["const echo = callMCPTool('mcp__t__echo'); return echo.text.length", 'A call of a tool gives a promise'],
    ["const echo = tools.t['echo']({}); return echo.text.length", 'A call of a tool gives a promise'],
  ])('says what to use instead in %j', async (code, text) => {
    const { error } = await run(code);
    expect(error?.message).toContain(text);
    expect(error?.message).not.toMatch(/dependency|--|import map|blob:/);
  });

  test('imports modules of Node by their bare names too', async () => {
    const code = `import { basename } from 'path';\nexport default basename('/a/b')`;
    expect((await run(code)).value).toBe('b');
    expect((await run("return typeof (await import('fs/promises')).readFile")).value).toBe('function');
  });

  test.each([
    [
      "Deno.readTextFileSync('/etc/passwd')",
      'read access to "/etc/passwd": ask for its folder in permissions.read',
    ],
    [
      "(await import('node:fs')).writeFileSync('/x', '')",
      'write access to "/x": ask for its folder in permissions.write',
    ],
    [
      "await Deno.connect({ hostname: '10.0.0.1', port: 80 })",
      'net access to "10.0.0.1:80": use fetch, with the host in permissions.net',
    ],
    ['process.env.HOME', 'env access to "HOME": there is none in the sandbox.'],
    ["(await import('node:child_process')).execFileSync(Deno.execPath())", ': there is none in the sandbox'],
  ])('explains a refused permission in terms of this product: %j', async (code, text) => {
    const result = await run(`try { ${code} } catch (error) { console.log(error.message) }\n${code}`);
    for (const message of [result.stdout, result.error?.message]) {
      expect(message).toContain(text);
      expect(message).not.toMatch(/run again|--allow/);
    }
  });

  test('has no workers, because a second isolate would not fit into its memory', async () => {
    expect((await run('return typeof Worker')).value).toBe('undefined');
  });

  test('shows only stack lines of the program, with its line numbers', async () => {
    const code = `function inner() { throw new Error('deep'); }

function outer() { inner(); }
outer();
return 1`;
    expect((await run(code)).error).toEqual({
      code: 'user_error',
      message: `Error: deep
    at inner (program.ts:1:26)
    at outer (program.ts:3:20)
    at program.ts:4:1`,
    });
  });

  test('shows where a failed tool was called, and the fields of the error', async () => {
    const code = `async function work() {
  await callMCPTool('mcp__t__fail', {});
}
await work();`;
    expect((await run(code)).error?.message).toBe(`McpToolError: tool said no
    at async work (program.ts:2:3)
    at async program.ts:4:1 {
  code: "tool_error",
  tool: "mcp__t__fail",
  server: "t"
}`);
  });

  test('rewrites stacks that the program prints itself', async () => {
    const { stderr } = await run('console.error(new Error("shown"))');
    expect(stderr).toBe('Error: shown\n    at program.ts:1:15\n');
  });
});
