import type { JsonObject, JsonSchema, ToolSchema } from '@code-executor/contracts';

import { isRecord } from '../json-record.js';

type Schema = Record<string, unknown>;

/** An argument that is repeated in a header, so that gateways can route by it. */
interface HeaderParameter {
  path: readonly string[];
  header: string;
}

/** `path` is undefined where arguments do not always have a value of that schema. */
interface Place {
  schema: Schema;
  path: readonly string[] | undefined;
}

const annotation = 'x-mcp-header';
/** A name of a header, as RFC 9110 defines it. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types = new Set<unknown>(['string', 'integer', 'boolean']);
const plainValue = /^[\t\x20-\x7e]+$/;
const encodedValue = /^=\?base64\?.*\?=$/;

/** Keywords that hold a schema or a list of them, and those that hold schemas by name. */
const holdSchemas = [
  ...[
    'items',
    'prefixItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
  ],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
];
const holdNamedSchemas = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

const known = new WeakMap<object, readonly HeaderParameter[] | 'invalid'>();

/** The headers in which a call repeats its arguments. Those that are absent or null have none. */
export function parameterHeaders(inputSchema: JsonSchema, args: JsonObject): Record<string, string> {
  const parameters = headerParameters(inputSchema);
  const headers: Record<string, string> = {};
  if (parameters === 'invalid') return headers;
  for (const { path, header } of parameters) {
    const text = toText(valueAt(args, path));
    if (text !== undefined) headers[`Mcp-Param-${header}`] = toHeaderValue(text);
  }
  return headers;
}

/** The tools whose headers are declared as the protocol demands; the others must not be called. */
export function withUsableHeaders(
  tools: ReadonlyMap<string, ToolSchema>,
  onUnusable: (ownName: string) => void,
): ReadonlyMap<string, ToolSchema> {
  const isUsable = ([name, { parameters }]: [string, ToolSchema]) => {
    if (headerParameters(parameters) !== 'invalid') return true;
    onUnusable(name);
    return false;
  };
  return new Map([...tools].filter(isUsable));
}

function headerParameters(inputSchema: JsonSchema): readonly HeaderParameter[] | 'invalid' {
  const before = known.get(inputSchema);
  if (before) return before;
  const found = readParameters(inputSchema);
  known.set(inputSchema, found);
  return found;
}

function readParameters(inputSchema: JsonSchema): readonly HeaderParameter[] | 'invalid' {
  const parameters: HeaderParameter[] = [];
  const names = new Set<string>();
  const places: Place[] = [{ schema: inputSchema, path: [] }];
  for (let place = places.pop(); place; place = places.pop()) {
    const { schema, path } = place;
    if (annotation in schema) {
      const header = schema[annotation];
      if (path === undefined || path.length === 0 || !types.has(schema['type'])) return 'invalid';
      if (typeof header !== 'string' || !token.test(header)) return 'invalid';
      if (names.has(header.toLowerCase())) return 'invalid';
      names.add(header.toLowerCase());
      parameters.push({ path, header });
    }
    for (const inner of within(place)) places.push(inner);
  }
  return parameters;
}

function* within({ schema, path }: Place): Generator<Place> {
  for (const [name, inner] of Object.entries(recordAt(schema, 'properties'))) {
    if (isRecord(inner)) yield { schema: inner, path: path && [...path, name] };
  }
  const values = [
    ...holdSchemas.map((keyword) => schema[keyword]),
    ...holdNamedSchemas.map((keyword) => Object.values(recordAt(schema, keyword))),
  ];
  for (const inner of values.flat()) if (isRecord(inner)) yield { schema: inner, path: undefined };
}

function recordAt(schema: Schema, keyword: string): Schema {
  const value = schema[keyword];
  return isRecord(value) ? value : {};
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

/** What a header cannot carry as it is, and what would be taken for such a value, is sent as base64. */
function toHeaderValue(text: string): string {
  const isPlain = plainValue.test(text) && text === text.trim() && !encodedValue.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
