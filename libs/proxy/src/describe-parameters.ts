import type { JsonSchema } from '@code-executor/contracts';

import { quoteName, quoteValue } from './quote.js';

const maxParameters = 30;

/** The parameters of a tool in one line: `path: string (required), head: integer`. */
export function describeParameters(schema: JsonSchema): string {
  const properties = asSchema(schema['properties']);
  const names = Object.keys(properties ?? {});
  if (!properties || names.length === 0) return 'none that its schema names';
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const shown = names
    // What must be given comes first, and so is never cut.
    .sort((a, b) => Number(required.has(b)) - Number(required.has(a)))
    .slice(0, maxParameters)
    .map((name) => {
      const mark = required.has(name) ? ' (required)' : '';
      return `${quoteName(name)}: ${describeType(properties[name])}${mark}`;
    });
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The type that a schema asks for, in a few words: `string`, `integer[]`, `"a" | "b"`; `any` where it cannot be told. */
export function describeType(schema: unknown, depth = 3): string {
  const { type, enum: values, items, anyOf, oneOf, ...rest } = asSchema(schema) ?? {};
  if (Array.isArray(values)) return union(values.map(describeLiteral));
  if ('const' in rest) return describeLiteral(rest['const']);
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches) && depth > 0) {
    return union(branches.map((branch: unknown) => describeType(branch, depth - 1)));
  }
  if (type === 'array' && depth > 0) {
    const item = describeType(items, depth - 1);
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (typeof type === 'string') return quoteName(type);
  if (Array.isArray(type))
    return union(type.map((one: unknown) => (typeof one === 'string' ? quoteName(one) : 'any')));
  return 'any';
}

const maxAlternatives = 10;

function union(alternatives: readonly string[]): string {
  const distinct = [...new Set(alternatives)];
  const more = distinct.length - maxAlternatives;
  const shown = distinct.slice(0, maxAlternatives).join(' | ');
  return more > 0 ? `${shown} | ${more} more` : shown;
}

function describeLiteral(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? quoteValue(value)
    : quoteValue(value).replace(/^\w+ /, '');
}

function asSchema(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonSchema)
    : undefined;
}
