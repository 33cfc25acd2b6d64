import { describe, expect, test } from '@jest/globals';
import type { ToolSchema } from '@code-executor/contracts';

import { pythonForm } from './python-form.js';
import { toolOutline, toolSignature } from './tool-signature.js';
import { typeScriptForm } from './typescript-form.js';

const string = { type: 'string', description: 'A text' };
const tool = (fields: Partial<ToolSchema>): ToolSchema => ({
  name: 'mcp__github__create_issue',
  server: 'github',
  parameters: {
    type: 'object',
    properties: { labels: { type: 'array', items: string, default: [] }, owner: string, from: string },
    required: ['owner'],
  },
  ...fields,
});
const outputSchema = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] };

describe('toolSignature', () => {
  test('contains the parameters and the result', () => {
    expect(toolSignature(tool({ outputSchema }), typeScriptForm)).toBe(
      'tools.github.createIssue(args: { labels?: string[]; owner: string; from?: string }): Promise<{ number: number }>',
    );
    expect(toolSignature(tool({ outputSchema }), pythonForm)).toBe(
      'tools.github.create_issue(*, owner: str, labels: list[str] = ..., from_: str = ...) -> {number: int}',
    );
  });

  test.each<[string, object, string, string]>([
    ['no properties', { type: 'object', properties: {} }, '()', '()'],
    ['closed', { type: 'object', additionalProperties: false }, '()', '()'],
    ['anything', { type: 'object' }, '(args?: Record<string, unknown>)', '(**more: Any)'],
    ['not an object', { type: 'string' }, '(args?: Record<string, unknown>)', '(**more: Any)'],
    [
      'open',
      { properties: { more: string }, additionalProperties: string },
      '(args?: { more?: string; [key: string]: unknown })',
      '(*, more: str = ..., **more_: str)',
    ],
    [
      'one of two',
      {
        oneOf: [
          { properties: { a: string }, required: ['a'] },
          { properties: { a: { type: 'null' }, b: string }, required: ['a', 'b'] },
        ],
      },
      '(args: { a: string } | { a: null; b: string })',
      '(*, a: str | None, b: str = ...)',
    ],
  ])('writes arguments that are %s', (_, parameters, typescript, python) => {
    const given = tool({ parameters: parameters as ToolSchema['parameters'] });
    expect(toolSignature(given, typeScriptForm)).toBe(
      `tools.github.createIssue${typescript}: Promise<unknown>`,
    );
    expect(toolSignature(given, pythonForm)).toBe(`tools.github.create_issue${python} -> Any`);
  });

  test('shortens nested objects first, then alternatives, then optional parameters', () => {
    const nested = {
      type: 'object',
      properties: { inner: { type: 'object', properties: { value: string } } },
    };
    const named = (count: number, value: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`property${n}`, value]));
    const signature = (properties: object, required: string[] = []) =>
      toolSignature(tool({ parameters: { type: 'object', properties, required } }), typeScriptForm);
    expect(signature(named(10, nested))).toContain('property0?: { inner?: {…} }; ');
    expect(signature(named(14, nested))).toContain('property0?: {…}; property1?: {…}; ');
    const values = Array.from({ length: 60 }, (_, n) => `value${n}`);
    expect(signature({ a: { enum: values } })).toContain(
      '{ a?: "value0" | "value1" | "value2" | "value3" | … }',
    );
    expect(signature({ ...named(90, string), z: string }, ['z'])).toMatch(
      /^tools\.github\.createIssue\(args: \{ z: string; property0\?: string;.* … \}\)/,
    );
  });

  test('shortens the result before the arguments to reach the given length', () => {
    const node = { type: 'object', properties: { name: string, type: string } };
    const given = tool({
      parameters: { properties: { nodes: { type: 'array', items: node } } },
      outputSchema: { properties: { nodes: { type: 'array', items: node } } },
    });
    const args = 'tools.github.createIssue(args?: { nodes?: { name?: string; type?: string }[] }): Promise<';
    const whole = `${args}{ nodes?: { name?: string; type?: string }[] }>`;
    expect(toolSignature(given, typeScriptForm, whole.length)).toBe(whole);
    expect(toolSignature(given, typeScriptForm, whole.length - 1)).toBe(`${args}{ nodes?: {…}[] }>`);
    expect(toolSignature(given, typeScriptForm, args.length + 4)).toBe(`${args}{…}>`);
    expect(toolSignature(given, pythonForm, 86)).toBe(
      'tools.github.create_issue(*, nodes: list[{name?: str, type?: str}] = ...) -> {…}',
    );
  });

  test.each([
    ['TypeScript', typeScriptForm],
    ['Python', pythonForm],
  ])('is one line of at most 400 characters for any schema (%s)', (_, form) => {
    const long = 'x'.repeat(190);
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${long}${n}`, { enum: [long, `${long}\n`] }]),
    );
    const signature = toolSignature(
      tool({
        server: 's'.repeat(5000),
        name: `mcp__${'s'.repeat(5000)}__${'t'.repeat(5000)}`,
        parameters: { properties, required: Object.keys(properties) },
        outputSchema: { properties },
      }),
      form,
    );
    expect(signature.length).toBeLessThanOrEqual(400);
    expect(signature).not.toMatch(/[\n\r]/);
  });
});

describe('toolOutline', () => {
  test.each<[string, object, string, string]>([
    [
      'names the parameters, the required ones first',
      tool({}).parameters,
      '{owner, labels?, from?}',
      '(owner, labels=..., from_=...)',
    ],
    ['has nothing for a tool without parameters', { type: 'object', properties: {} }, '{}', '()'],
    ['shows that any parameters are accepted', { type: 'object' }, '{…}', '(…)'],
    [
      'shortens a long list',
      { properties: Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`parameter${n}`, string])) },
      '{parameter0?, parameter1?, parameter2?, parameter3?, …}',
      '(parameter0=..., parameter1=..., parameter2=..., …)',
    ],
    [
      'stays on one line with hostile names',
      {
        properties: { [`a\n\u202e${'x'.repeat(1000)}`]: string },
        required: [`a\n\u202e${'x'.repeat(1000)}`],
      },
      '{…}',
      '(…)',
    ],
  ])('%s', (_, parameters, typescript, python) => {
    const given = tool({ parameters: parameters as ToolSchema['parameters'] });
    expect(toolOutline(given, typeScriptForm)).toBe(typescript);
    expect(toolOutline(given, pythonForm)).toBe(python);
  });
});

describe('a tool that repeats megabytes by reference', () => {
  const values = Array.from({ length: 400 }, (_, n) => `${n}${'x'.repeat(190)}`);
  const properties = Object.fromEntries(
    Array.from({ length: 900 }, (_, n) => [`p${n}`, { $ref: '#/$defs/e' }]),
  );
  const parameters = { type: 'object', properties, $defs: { e: { enum: values } } };

  test('has limited declarations, with a wider type where there is no room', () => {
    const text = pythonForm.types([tool({ parameters })]);
    expect(text.length).toBeLessThan(500_000);
    expect(text.includes('p899: str = ...')).toBe(true);
    expect(toolSignature(tool({ parameters }), pythonForm).length).toBeLessThanOrEqual(400);
  });
});

describe('the declarations of tools', () => {
  test('of TypeScript', () => {
    const text = typeScriptForm.types([tool({ description: 'Creates */ one.\r\n@ts-ignore', outputSchema })]);
    expect(text).toBe(`declare namespace tools.github {
  interface CreateIssueArgs {
    /** Default: []. */
    labels?: string[];
    /** A text */
    owner: string;
    /** A text */
    from?: string;
  }
  interface CreateIssueResult {
    number: number;
  }
  /** From the server "github": Creates *\\/ one. \\@ts-ignore */
  function createIssue(args: CreateIssueArgs): Promise<CreateIssueResult>;
}
`);
  });

  test('of Python', () => {
    expect(pythonForm.types([tool({ description: 'Creates one.', outputSchema })])).toBe(
      `# Called as tools.github.<name>(...)

class CreateIssueResult(TypedDict):
    number: int

def create_issue(*, owner: str, labels: list[str] = ..., from_: str = ...) -> CreateIssueResult:
    """
    From the server "github": Creates one.

    labels: Default: [].
    owner: A text
    from_: A text
    """
`,
    );
  });

  test('assigns different names to tools with similar names', () => {
    const alike = ['a-b', 'a_b', 'aB', 'a.b'].map((name) => tool({ name: `mcp__github__${name}` }));
    const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);
    expect(names(typeScriptForm.types(alike), /function (\w+)/g)).toEqual(['aB2', 'aB3', 'aB', 'aB4']);
    expect(names(pythonForm.types(alike), /def (\w+)/g)).toEqual(['a_b_2', 'a_b_3', 'a_b_4', 'a_b']);
  });

  test('cuts a description to 500 characters', () => {
    const text = typeScriptForm.types([tool({ description: 'x'.repeat(1_000_000) })]);
    expect(text).toContain(`${'x'.repeat(499)}… */`);
    expect(text.length).toBeLessThan(1000);
  });
});
