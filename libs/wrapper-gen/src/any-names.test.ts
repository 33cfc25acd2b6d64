import { describe, expect, test } from '@jest/globals';
import { type ToolSchema } from '@code-executor/contracts';
import { identifiersOf } from '@code-executor/schema-types';
import fc from 'fast-check';
import ts from 'typescript';

import { generateWrappers } from './generate-wrappers.js';
import { pythonWrappers } from './python-wrappers.js';
import { typeScriptWrappers } from './typescript-wrappers.js';
import type { WrapperForm } from './wrapper-form.js';
import { inFolder, type PythonOutline, pythonOutline, runPython, toolOf } from './wrappers.test.kit.js';

const caseCount = 2_000;

const nasty = fc.constantFrom(
  '*/',
  '/*',
  '//',
  '"""',
  "'",
  '"',
  '`',
  '${',
  '\\',
  '\\N{DASH}',
  '\\u',
  '\n',
  '\r',
  '\u2028',
  '\u0085',
  '\0',
  '\u202e',
  '\ud800',
  '\u{e0041}',
  '@ts-ignore',
  '# type: ignore',
  '__proto__',
  'constructor',
  'class',
  'from',
  'None',
  'then',
  '{{tools}}',
  '}}',
  '搜索',
  'é',
  'ß',
  'İ',
  '1',
  '-',
  '_',
  '.',
  ' ',
  'args',
  'more',
  'Args',
  'str',
  'Any',
);
const text = fc
  .array(
    fc.oneof(
      nasty,
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    {
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(''));
const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'integer', 'null', 'array', 'object'), description: text }),
  fc.record({
    enum: fc.array(fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null)), { maxLength: 4 }),
  }),
  fc.record({ const: text, default: text, format: text }),
  fc.record({ $ref: fc.oneof(text, fc.constantFrom('#', '#/properties/a', 'file:///etc/passwd')) }),
  fc.boolean(),
);
const objectOf = (inner: fc.Arbitrary<unknown>) =>
  fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(text, inner, { maxKeys: 4 }),
    required: fc.array(text, { maxLength: 2 }),
  });
const schema = fc.oneof(
  leaf,
  objectOf(leaf),
  objectOf(fc.oneof(objectOf(leaf), fc.record({ anyOf: fc.array(objectOf(leaf), { maxLength: 3 }) }))),
);
const tools: fc.Arbitrary<ToolSchema[]> = fc
  .record({
    server: text,
    tools: fc.array(
      fc.record({ name: text, description: text, parameters: schema, outputSchema: fc.option(schema) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  })
  .map(({ server, tools: all }) =>
    all.map(({ name, outputSchema, parameters, description }) =>
      toolOf(server, name, {
        description,
        parameters: parameters as ToolSchema['parameters'],
        ...(outputSchema !== null && { outputSchema: outputSchema as ToolSchema['parameters'] }),
      }),
    ),
  );

/** A fixed seed, so that a failure can be reproduced. */
const cases = fc.sample(tools, { numRuns: caseCount, seed: 5 });
/** The tools by their names on the server; of two equal names, the last one wins. */
const byName = (all: readonly ToolSchema[]) =>
  new Map(all.map((tool) => [tool.name.slice(`mcp__${tool.server}__`.length), tool]));
const serverFile = (all: readonly ToolSchema[], form: WrapperForm) =>
  generateWrappers(all, form).at(-1)?.content ?? '';

describe('for any names and texts', () => {
  test('TypeScript wrappers can be parsed and export exactly the tools', () => {
    for (const all of cases) {
      const content = serverFile(all, typeScriptWrappers);
      const file = ts.createSourceFile('wrapper.ts', content, ts.ScriptTarget.ES2022);
      expect(problemsOf(file)).toEqual([]);
      const known = byName(all);
      const types = identifiersOf(known.keys(), 'PascalCase');
      const expected = [...known].flatMap(([name, { outputSchema }]) => [
        `${types.get(name) ?? ''}Args`,
        ...(outputSchema === undefined ? [] : [`${types.get(name) ?? ''}Result`]),
      ]);
      const server = identifiersOf([all[0]?.server ?? ''], 'camelCase').values();
      expect(exportsOf(file)).toEqual([...expected, ...server].sort());
      expect(methodsOf(file)).toEqual([...identifiersOf(known.keys(), 'camelCase').values()].sort());
    }
  });

  test('Python wrappers can be parsed and export exactly the tools', () =>
    inFolder(async (folder) => {
      const contents = cases.map((all) => serverFile(all, pythonWrappers));
      const outlines = JSON.parse(
        await runPython(pythonOutline, folder, JSON.stringify(contents)),
      ) as PythonOutline[];
      expect(outlines).toHaveLength(caseCount);
      for (const [index, outline] of outlines.entries()) {
        if ('problem' in outline) throw new Error(`${outline.problem} in\n${contents[index] ?? ''}`);
        const { functions, all, other } = outline;
        const expected = [...identifiersOf(byName(cases[index] ?? []).keys(), 'snake_case').values()].sort();
        expect({ functions: functions.sort(), all: all.sort(), other }).toEqual({
          functions: expected,
          all: expected,
          other: [],
        });
      }
    }));
});

/** The errors of the parser, with the text around them. */
function problemsOf(file: ts.SourceFile): string[] {
  const problems = Reflect.get(file, 'parseDiagnostics') as ts.Diagnostic[];
  return problems.map(
    ({ messageText, start = 0 }) =>
      `${ts.flattenDiagnosticMessageText(messageText, ' ')} ${JSON.stringify(file.text.slice(start - 20, start + 20))}`,
  );
}

function exportsOf(file: ts.SourceFile): string[] {
  return file.statements
    .flatMap((statement) => {
      if (ts.isImportDeclaration(statement)) return [];
      if (ts.isVariableStatement(statement)) {
        return statement.declarationList.declarations.map(({ name }) => name.getText(file));
      }
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
        return statement.name.text;
      return `unexpected: ${statement.getText(file)}`;
    })
    .sort();
}

/** The properties of the server's object, which is the last statement. */
function methodsOf(file: ts.SourceFile): string[] {
  const last = file.statements.at(-1);
  if (!last || !ts.isVariableStatement(last)) return [];
  const value = last.declarationList.declarations[0]?.initializer;
  if (!value || !ts.isObjectLiteralExpression(value)) return [];
  return value.properties.map((property) => property.name?.getText(file) ?? '').sort();
}
