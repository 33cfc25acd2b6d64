import { describe, expect, test } from '@jest/globals';

import { schemaToPython } from './python-type.js';
import { schemaToTypeScript } from './typescript-type.js';

const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });
const string = { type: 'string' };
const number = { type: 'number' };

describe('schemaToTypeScript', () => {
  test.each<[string, unknown, string]>([
    ['true', true, 'unknown'],
    ['false', false, 'never'],
    ['nothing', {}, 'unknown'],
    ['a value that is not a schema', 7, 'unknown'],
    ['an unknown type', { type: 'date' }, 'unknown'],
    ['integer', { type: 'integer' }, 'number'],
    ['several types', { type: ['string', 'null'] }, 'string | null'],
    ['nullable', { type: 'string', nullable: true }, 'string | null'],
    ['enum', { type: 'string', enum: ['a', 'b"\\', null] }, '"a" | "b\\"\\\\" | null'],
    ['const', { const: 5 }, '5'],
    ['const that is an object', { type: 'object', const: {} }, 'Record<string, unknown>'],
    ['array', { type: 'array', items: string }, 'string[]'],
    ['array of unions', { type: 'array', items: { type: ['string', 'number'] } }, 'Array<string | number>'],
    ['array of anything', { type: 'array' }, 'unknown[]'],
    ['tuple of 2020-12', { type: 'array', prefixItems: [string, number], items: false }, '[string, number]'],
    [
      'tuple of draft-07',
      { type: 'array', items: [string, number], additionalItems: { type: 'boolean' }, minItems: 1 },
      '[string, number?, ...boolean[]]',
    ],
    ['object', object({ a: string, 'b-c': number }, 'a'), '{ a: string; "b-c"?: number }'],
    ['no type but properties', { properties: { a: string } }, '{ a?: string }'],
    ['a required property without a description', { ...object({}), required: ['a'] }, '{ a: unknown }'],
    ['a dictionary', { type: 'object', additionalProperties: number }, 'Record<string, number>'],
    [
      'a dictionary by pattern',
      { type: 'object', patternProperties: { '^x': number } },
      'Record<string, number>',
    ],
    ['a closed empty object', { type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [
      'an object with more',
      { ...object({ a: string }), additionalProperties: number },
      '{ a?: string; [key: string]: unknown }',
    ],
    ['anyOf', { anyOf: [string, { type: 'null' }, string] }, 'string | null'],
    ['oneOf with anything', { oneOf: [string, true] }, 'unknown'],
    [
      'a union of objects',
      {
        oneOf: [
          object({ kind: { const: 'a' } }, 'kind'),
          object({ kind: { const: 'b' }, b: number }, 'kind'),
        ],
      },
      '{ kind: "a" } | { kind: "b"; b?: number }',
    ],
    ['allOf', { allOf: [object({ a: string }, 'a'), object({ b: number })] }, '{ a: string; b?: number }'],
    [
      'an object that requires one of two properties',
      { ...object({ a: string, b: number }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a: string; b?: number } | { a?: string; b: number }',
    ],
    [
      'many alternatives of which fewer are possible',
      {
        allOf: [
          { type: ['string', 'null', 'integer'] },
          { enum: ['a', 'b', 'c', 'd', 'e', 'f', true, null] },
        ],
      },
      '"a" | "b" | "c" | "d" | "e" | "f" | null',
    ],
    ['a contradiction', { allOf: [string, number] }, 'never'],
    ['a restricted type', { type: ['string', 'integer'], allOf: [number, { enum: [1, 'x'] }] }, '1'],
    [
      'local references',
      {
        ...object({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/definitions/x~1y%20z' } }),
        $defs: { A: string },
        definitions: { 'x/y z': number },
      },
      '{ a?: string; b?: number }',
    ],
    [
      'names like those of prototypes',
      object({ constructor: string, toString: number }),
      '{ constructor?: string; toString?: number }',
    ],
    ['a reference to something inherited', { $ref: '#/constructor' }, 'unknown'],
    ['a reference to a file', object({ a: { $ref: 'file:///etc/passwd' } }), '{ a?: unknown }'],
    ['a reference to an address', object({ a: { $ref: 'http://127.0.0.1/x' } }), '{ a?: unknown }'],
    ['a malformed reference', { $ref: '#/%' }, 'unknown'],
    ['a reference to itself', { $ref: '#' }, 'unknown'],
    [
      'a tree',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: object({ name: string, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
        },
      },
      '{ name?: string; children?: unknown[] }',
    ],
    ['a key with code', object({ '"]: any; evil()': string }), '{ "\\"]: any; evil()"?: string }'],
    ['a key with lines', object({ 'a\nb\u2028\u202e': string }), '{ "a\\nb\\u2028\\u202e"?: string }'],
  ])('writes %s', (_, schema, expected) => {
    expect(schemaToTypeScript(schema)).toBe(expected);
  });

  test('treats an own __proto__ like any other property', () => {
    expect(schemaToTypeScript(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'))).toBe(
      '{ __proto__?: string }',
    );
  });
});

describe('a hostile schema results in limited text after limited work', () => {
  const deep = (wrap: (inner: unknown) => unknown) => {
    let schema: unknown = string;
    for (let i = 0; i < 10_000; i++) schema = wrap(schema);
    return schema;
  };
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, string]));
  const doubling = {
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        object({ l: { $ref: `#/$defs/d${n + 1}` }, r: { $ref: `#/$defs/d${n + 1}` } }),
      ]),
    ),
  };
  const wide = {
    anyOf: Array.from({ length: 16 }, (_, n) =>
      object({ [`k${n}`]: { anyOf: [string, object({ x: number })] } }),
    ),
  };

  const tenTimes = (values: number[]) => Array.from({ length: 10 }, () => ({ enum: values }));
  const long = Array.from({ length: 400 }, (_, n) => `${n}${'x'.repeat(190)}`);

  test.each<[string, unknown]>([
    ['10,000 deep in properties', deep((inner) => object({ a: inner }))],
    ['10,000 deep in arrays', deep((items) => ({ type: 'array', items }))],
    ['10,000 deep in allOf', deep((inner) => ({ allOf: [inner] }))],
    ['20,000 properties', { properties }],
    ['20,000 alternatives', { enum: Object.keys(properties) }],
    ['references that double', doubling],
    [
      'unions times unions of thousands',
      object({
        a: {
          allOf: [0, 5_000].map((first) => ({
            anyOf: tenTimes(Array.from({ length: 500 }, (_, n) => n + first)),
          })),
        },
      }),
    ],
    ['unions times unions', { allOf: Array.from({ length: 200 }, () => wide) }],
    [
      'megabytes of alternatives',
      { prefixItems: Array.from({ length: 100 }, (_, n) => ({ enum: long.map((text) => `${n} ${text}`) })) },
    ],
    ['a megabyte as a key', object({ ['k'.repeat(1_000_000)]: string })],
    ['a megabyte as a value', { const: 'k'.repeat(1_000_000) }],
    ['a pattern that backtracks', { type: 'string', pattern: '(a+)+$' }],
  ])('%s', (_, schema) => {
    expect(schemaToTypeScript(schema).length).toBeLessThan(200_000);
    const { type, declarations } = schemaToPython(schema, 'X');
    expect(type.length + declarations.length).toBeLessThan(500_000);
  });

  test('the first of two unions with more than 2,000 pairs of members is used for both', () => {
    const both = (members: number) => {
      const values = Array.from({ length: members }, (_, n) => n);
      return schemaToTypeScript({ allOf: [{ enum: values }, { enum: values.map((n) => n + 1_000) }] });
    };
    expect(both(44)).toBe('never');
    expect(both(45)).toBe(Array.from({ length: 45 }, (_, n) => n).join(' | '));
  });

  test('members beyond the limit are not read', () => {
    let looks = 0;
    const counting = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(of, key) {
          looks++;
          return Reflect.get(of, key) as unknown;
        },
      });
    const required = Object.keys(properties);
    schemaToTypeScript({ type: 'object', properties: counting(properties), required: counting(required) });
    expect(looks).toBeLessThan(5_000);
  });

  test('types beyond the limit are unknown, and omitted properties are allowed', () => {
    expect(schemaToTypeScript({ properties })).toMatch(/^\{ p0\?: string; .*\[key: string\]: unknown \}$/);
    expect(schemaToTypeScript(deep((items) => ({ type: 'array', items })))).toMatch(/^unknown(\[\])+$/);
  });
});
