import { CodeExecutorError, type JsonObject, type JsonSchema } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { pythonForm } from '@code-executor/schema-types';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy } from '../index.js';
import { check, parameters } from './validation.test.support.js';

const prefix = 'The arguments of mcp__fs__read do not match its schema: ';
const suffix =
  '. Its signature is tools.fs.read(args: { path: string; mode?: "text" | "binary" | null; head?: number; tags?: string[]; ' +
  'range?: string | { from: number }; version?: 2; when?: string; code?: string; size?: number; name?: string | null }): Promise<unknown>';

describe('validation of arguments', () => {
  test('lets good arguments through, unchanged', async () => {
    const good = {
      path: 'a',
      mode: null,
      head: 0,
      tags: ['x'],
      range: { from: 1 },
      version: 2,
      size: 1.5,
      name: null,
    };
    expect(await check(parameters, good)).toBe('called');
    expect(await check({}, { anything: [1, { a: null }] })).toBe('called');
    expect(await check({ type: 'object' }, {})).toBe('called');
  });

  test.each<[unknown, string]>([
    [{}, 'path: expected string, received nothing'],
    [{ path: 5 }, 'path: expected string, received number 5'],
    [{ path: '' }, 'path: expected to NOT have fewer than 1 characters, received string ""'],
    [{ path: 'a', head: -1 }, 'head: expected to be >= 0, received number -1'],
    [{ path: 'a', head: 1.5 }, 'head: expected integer, received number 1.5'],
    [{ path: 'a', mode: 'fast' }, 'mode: expected "text" | "binary" | null, received string "fast"'],
    [{ path: 'a', tags: ['x', 7] }, 'tags[1]: expected string, received number 7'],
    [{ path: 'a', tags: 'x' }, 'tags: expected string[], received string "x"'],
    [
      { path: 'a', tags: ['x', 'y', 'z'] },
      'tags: expected to NOT have more than 2 items, received array ["x","y","z"]',
    ],
    [{ path: 'a', pth: 'b' }, 'pth: expected no such parameter, received string "b"'],
    [{ path: 'a', range: true }, 'range: expected string | object, received boolean true'],
    [{ path: 'a', range: {} }, 'range.from: expected number, received nothing'],
    [{ path: 'a', range: { from: 'x' } }, 'range.from: expected number, received string "x"'],
    [{ path: 'a', version: 3 }, 'version: expected 2, received number 3'],
    [{ path: 'a', when: 'today' }, 'when: expected the format date-time, received string "today"'],
    [{ path: 'a', code: 'abc' }, 'code: expected text that matches ^[A-Z]{3}$, received string "abc"'],
    [
      { path: 'a', size: 1 },
      'size: expected a value that matches only one of the alternatives, received number 1',
    ],
    [{ path: 'a', size: 'big' }, 'size: expected integer | number, received string "big"'],
    [{ path: 'a', name: 1 }, 'name: expected string | null, received number 1'],
    [{ path: null }, 'path: expected string, received null'],
    [{ path: { a: 1 } }, 'path: expected string, received object {"a":1}'],
    [
      { head: 'x', mode: 1 },
      'path: expected string, received nothing; mode: expected "text" | "binary" | null, received number 1; head: expected integer, received string "x"',
    ],
  ])('%j is refused with path, expected, received and the signature', async (args, problems) => {
    expect(await check(parameters, args)).toBe(prefix + problems + suffix);
  });

  test('shows the signature in the language of the program', async () => {
    const tools = fakeToolSource({ mcp__fs__read: () => 'ok' }, { mcp__fs__read: { parameters } });
    const proxy = createToolProxy({ tools, allowedTools: ['*'], form: pythonForm });
    await expect(proxy.callTool('mcp__fs__read', {})).rejects.toThrow(
      'Its signature is tools.fs.read(*, path: str, mode: ',
    );
  });

  test.each([[[1]], ['text'], [null], [undefined], [7]])(
    'refuses %j, which is not an object, whatever the schema',
    async (args) => {
      expect(await check({}, args)).toMatch(/^The arguments of mcp__fs__read must be one object, not \w+/);
    },
  );

  test('limits the number of problems, values and parameters', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`p${i}`, { type: 'string' }]),
    );
    const args = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, i]));
    const many = await check({ type: 'object', properties, required: ['p99'] }, args);
    expect(many).toContain(
      'p4: expected string, received number 4; and 95 more. Its signature is tools.fs.read(args: { p99: string; p0?: string;',
    );
    expect(many.endsWith('p14?: string; … }): Promise<unknown>')).toBe(true);
    for (const a of ['x'.repeat(1_000_000), Array.from({ length: 100_000 }, () => 1)]) {
      const long = await check({ properties: { a: { type: 'number' } } }, { a });
      expect(long.length).toBeLessThan(400);
    }
  });

  test('shows hostile texts of schema and arguments escaped', async () => {
    const schema = { properties: { 'a\u001b[31m': { type: 'number' } } };
    expect(await check(schema, { 'a\u001b[31m': '\u0007' })).toBe(
      `${prefix}a\\u{1b}[31m: expected number, received string "\\u0007". Its signature is tools.fs.read(args?: { "a\\u001b[31m"?: number }): Promise<unknown>`,
    );
  });

  test('checks own properties of the arguments, not inherited ones', async () => {
    const schema = {
      type: 'object',
      properties: { toString: { type: 'string' } },
      required: ['constructor'],
    };
    expect(await check(schema, {})).toContain('constructor: expected any, received nothing');
    expect(await check({ ...schema, required: [] }, {})).toBe('called');
    const fromJson = JSON.parse('{"__proto__": {"path": "a"}}') as JsonObject;
    expect(await check(parameters, fromJson)).toContain('path: expected string, received nothing');
  });

  test('reads draft 2020-12 if the schema says so, and draft-07 otherwise', async () => {
    const tuple = { type: 'object', properties: { p: { type: 'array', prefixItems: [{ type: 'number' }] } } };
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    expect(await check({ $schema, ...tuple }, { p: ['x'] })).toContain(
      'p[0]: expected number, received string "x"',
    );
    expect(await check(tuple, { p: ['x'] })).toBe('called');
    const old = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['a'] };
    expect(await check(old, {})).toContain('a: expected any, received nothing');
  });

  test('follows references inside the schema, circular ones too', async () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#/definitions/node' }, value: { type: 'number' } },
    };
    const schema = {
      type: 'object',
      properties: { node: { $ref: '#/definitions/node' } },
      definitions: { node },
    };
    expect(await check(schema, { node: { next: { next: { value: 1 } } } })).toBe('called');
    expect(await check(schema, { node: { next: { next: { value: 'x' } } } })).toContain(
      'node.next.next.value: expected number, received string "x"',
    );
  });

  test('keeps schemas with one $id apart', async () => {
    const schema = (type: string) => ({ $id: 'https://example.com/a', properties: { a: { type } } });
    expect(await check(schema('string'), { a: 'x' })).toBe('called');
    expect(await check(schema('number'), { a: 'x' })).toContain('a: expected number');
  });

  const circular: JsonSchema = { type: 'object' };
  circular['self'] = circular;
  let deep: JsonSchema = { type: 'string' };
  for (let i = 0; i < 20_000; i++) deep = { not: deep };
  test.each<[string, JsonSchema]>([
    ['a remote $ref', { $ref: 'https://CANARY.example/schema.json' }],
    ['a $ref to a file', { $ref: 'file:///etc/passwd' }],
    ['a $ref to nowhere', { $ref: '#/definitions/absent' }],
    ['a $ref to itself', { $ref: '#' }],
    [
      'a keyword of an older draft',
      { type: 'object', properties: { a: { minimum: 1, exclusiveMinimum: true } } },
    ],
    ['an unknown type', { type: 'any' }],
    ['a broken pattern', { properties: { a: { pattern: '(' } } }],
    ['a schema that is a JavaScript circle', circular],
    ['a schema 20,000 deep', deep],
    ['a schema of 300 KB', { type: 'object', required: ['b'], description: 'x'.repeat(300 * 1024) }],
    ['an asynchronous schema', { $async: true, type: 'object' }],
    ['a null', { properties: null }],
  ])(
    'leaves the check to the upstream server if the schema cannot be compiled: %s',
    async (_name, schema) => {
      expect(await check(schema, { a: 'x' })).toBe('called');
    },
  );

  test.each([
    [40, 'b: expected any, received nothing'],
    [100, 'called'],
  ])('checks schemas that can be compiled in time: one of %d levels', async (levels, told) => {
    let part: JsonSchema = { type: 'string' };
    for (let level = 0; level < levels; level++) part = { not: part };
    expect(await check({ properties: { a: part }, required: ['b'] }, {})).toContain(told);
  });

  test('tries only once to compile a schema that cannot be checked, because that may take half a second', async () => {
    let reads = 0;
    const schema = {
      type: 'object',
      get description() {
        reads++;
        return 'x'.repeat(300 * 1024);
      },
    };
    for (const a of ['x', 'y', 'z']) expect(await check(schema, { a })).toBe('called');
    expect(reads).toBe(1);
  });

  test('validates an asynchronous schema like any other', async () => {
    expect(await check({ $async: true, required: ['b'] }, {})).toContain('b: expected any, received nothing');
  });

  test.each<[string, JsonSchema]>([
    ['pattern', { properties: { a: { pattern: '^(a+)+$' } } }],
    [
      'patternProperties',
      { patternProperties: { '^(a+)+$': { type: 'number' } }, additionalProperties: false },
    ],
    ['not pattern', { properties: { a: { not: { pattern: '^(a+)+$' } } } }],
  ])('a catastrophic %s refuses only the call that hits it', async (_name, schema) => {
    const bait = `${'a'.repeat(60)}!`;
    const tools = fakeToolSource(
      { mcp__fs__read: () => 'ok' },
      { mcp__fs__read: { parameters: { ...schema, required: ['a'] } } },
    );
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    const call = () =>
      proxy.callTool('mcp__fs__read', { a: bait, [bait]: 1 }).catch((error: unknown) => error);
    let error = await call();
    // If the machine has no time for the check, it says so, and the test asks again.
    while (CodeExecutorError.is(error) && error.code === 'unavailable') error = await call();
    expect(error).toMatchObject({
      code: 'resource_exhausted',
      tool: 'mcp__fs__read',
      message:
        'The arguments of mcp__fs__read take too long to check against its schema; send less, or shorter texts.',
    });
    // The schema is checked as before.
    await expect(proxy.callTool('mcp__fs__read', {})).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(tools.calls).toHaveLength(0);
  });
});
