import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import type { ToolSchema } from '@code-executor/contracts';
import ts from 'typescript';

import { generateWrappers } from './generate-wrappers.js';
import { pythonWrappers } from './python-wrappers.js';
import { typeScriptWrappers } from './typescript-wrappers.js';
import type { WrapperForm } from './wrapper-form.js';
import { inFolder, type PythonOutline, pythonOutline, runPython, toolOf } from './wrappers.test.kit.js';

const files = (tools: readonly ToolSchema[]) => ({
  typescript: generateWrappers(tools, typeScriptWrappers).at(-1)?.content ?? '',
  python: generateWrappers(tools, pythonWrappers).at(-1)?.content ?? '',
});

/** Fails unless both files are valid code with nothing but the functions. */
async function expectFunctions(tools: readonly ToolSchema[], typescript: string[], python: string[]) {
  const { typescript: script, python: module } = files(tools);
  const file = ts.createSourceFile('wrapper.ts', script, ts.ScriptTarget.ES2022);
  expect(Reflect.get(file, 'parseDiagnostics')).toHaveLength(0);
  const kinds = new Set(file.statements.map(({ kind }) => ts.SyntaxKind[kind]));
  const { ImportDeclaration, InterfaceDeclaration, TypeAliasDeclaration, FirstStatement } = ts.SyntaxKind;
  const expected = [ImportDeclaration, InterfaceDeclaration, TypeAliasDeclaration, FirstStatement];
  expect(expected.map((kind) => ts.SyntaxKind[kind])).toEqual(expect.arrayContaining([...kinds]));
  await inFolder(async (folder) => {
    const [outline] = JSON.parse(
      await runPython(pythonOutline, folder, JSON.stringify([module])),
    ) as PythonOutline[];
    expect(outline).toMatchObject({ functions: python, all: python, other: [] });
    const code = ts.transpileModule(script, { compilerOptions: { module: ts.ModuleKind.ESNext } }).outputText;
    await writeFile(join(folder, 'client.js'), 'export const callTool = () => {};');
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'wrapper.js'), code);
    const loaded = (await import(pathToFileURL(join(folder, 'wrapper.js')).href)) as Record<string, object>;
    expect(Object.keys(loaded)).toEqual(['evil']);
    expect(Object.keys(loaded['evil'] ?? {})).toEqual(typescript);
  });
}

describe('text of a hostile server', () => {
  test('WRP-01: a description that closes the comment adds no statement', () =>
    expectFunctions(
      [
        toolOf('evil', 'run', { description: '*/ process.exit(1); /*' }),
        toolOf('evil', 'say', { title: '*/}' }),
      ],
      ['run', 'say'],
      ['run', 'say'],
    ));

  test.each([
    'a """ + __import__("os").abort() + """',
    '\\"""; raise SystemExit',
    'ends with a backslash \\',
    'ends with a quote "',
    '\\N{DASH} \\x \\u12 \\U0011ffff',
    'a carriage return\rraise SystemExit',
    'separators \u2028process.exit(1)\u2029process.exit(1)',
    'a NUL \0 and half of a character \ud800',
    'from right to left \u202e /* \u2066 */ \u2069',
    '# type: ignore\n@ts-nocheck\n// @ts-ignore',
    '`${process.exit(1)}` {{tools}} {{{lookup this "constructor"}}}',
  ])('WRP-03: %j stays text everywhere', (description) => {
    const schema = {
      properties: { a: { description, default: description, format: description, const: description } },
      required: ['a'],
    };
    const tool = toolOf('evil', 'run', { description, parameters: schema, outputSchema: schema });
    return expectFunctions([tool], ['run'], ['run']);
  });

  test('WRP-03: texts have no invisible characters, are truncated, and are marked as those of the server', () => {
    const description = `\u202e\u2066\0\u{e0041}${'x'.repeat(1_000_000)}`;
    for (const text of Object.values(files([toolOf('evil', 'run', { description })]))) {
      expect(text).toContain('From the server "evil": x');
      expect(text).not.toMatch(/[^\P{C}\n]/u);
      expect(text.length).toBeLessThan(2_000);
    }
  });

  test('WRP-05: tools with similar names get separate wrappers, which call the correct tools', async () => {
    const tools = ['a-b', 'a_b', 'aB', 'a.b'].map((name) => toolOf('evil', name));
    await expectFunctions(tools, ['aB2', 'aB3', 'aB', 'aB4'], ['a_b_2', 'a_b_3', 'a_b_4', 'a_b']);
    const { typescript, python } = files(tools);
    const calls = (text: string, pattern: RegExp) =>
      Object.fromEntries<string>(
        [...text.matchAll(pattern)].map((match): [string, string] => [match[1] ?? '', match[2] ?? '']),
      );
    expect(calls(typescript, /(\w+)\(args.*\n.*"mcp__evil__(.+)"/g)).toEqual({
      aB2: 'a-b',
      aB3: 'a.b',
      aB: 'aB',
      aB4: 'a_b',
    });
    expect(
      calls(python, /def (\w+)\([^"]*"""[^"]*"evil"[^"]*"""\s*return _call_tool\("mcp__evil__(.+)"/g),
    ).toEqual({
      a_b_2: 'a-b',
      a_b_3: 'a.b',
      a_b_4: 'aB',
      a_b: 'a_b',
    });
  });

  test('WRP-05: servers with similar names get separate files', () => {
    const servers = ['a b', 'A-B', 'a_b', 'client', 'index', '__init__', '../../x', 'mcp_client', '搜索', ''];
    const paths = (form: WrapperForm) =>
      generateWrappers(
        servers.map((server) => toolOf(server, 'run')),
        form,
      ).map(({ path }) => path);
    expect(paths(typeScriptWrappers).sort()).toEqual(
      [
        'client',
        'index',
        'mcp-a-b',
        'mcp-a-b-2',
        'mcp-a-b-3',
        'mcp-client',
        'mcp-index',
        'mcp-init',
        'mcp-mcp-client',
        'mcp-server',
        'mcp-server-2',
        'mcp-x',
      ]
        .map((stem) => `typescript/${stem}.ts`)
        .sort(),
    );
    // A server is called `mcp_client` in Python, so no module may have that name.
    expect(paths(pythonWrappers)).toContain('python/mcp_client_2.py');
    expect(new Set(paths(pythonWrappers)).size).toBe(servers.length + 2);
  });

  const nested = (wrap: (inner: unknown) => unknown) => {
    let schema: unknown = { type: 'string' };
    for (let i = 0; i < 10_000; i++) schema = wrap(schema);
    return schema;
  };
  test.each<[string, unknown]>([
    [
      'keys with lines',
      { properties: { 'a\nb': {}, '"]: any; evil()': {}, "'); evil(": {}, __proto__: {} } },
    ],
    ['an enum of quotes and backslashes', { properties: { a: { enum: ['"', "'", '\\', '\\"', '`${a}`'] } } }],
    ['a default that is a function', { properties: { a: { default: 'function () { process.exit(1) }' } } }],
    [
      'references elsewhere',
      { properties: { a: { $ref: 'file:///CANARY' }, b: { $ref: 'http://127.0.0.1:9/' } } },
    ],
    [
      'references in a loop',
      {
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        properties: { a: { $ref: '#/$defs/a' } },
      },
    ],
    ['10,000 nested objects', nested((inner) => ({ type: 'object', properties: { a: inner } }))],
    ['10,000 nested arrays', nested((items) => ({ type: 'array', items }))],
    ['a pattern that backtracks', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }],
    ['a string instead of an object', 'object'],
  ])('WRP-07: a schema with %s results in valid code', (_, parameters) => {
    const schema = parameters as ToolSchema['parameters'];
    return expectFunctions(
      [toolOf('evil', 'run', { parameters: schema, outputSchema: schema })],
      ['run'],
      ['run'],
    );
  });
});
