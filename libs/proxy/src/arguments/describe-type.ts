import type { JsonSchema } from '@code-executor/contracts';

import { quoteName, quoteValue } from '../quote.js';

/** The type that a schema asks for, in a few words: `string`, `integer[]`, `"a" | "b"`; `any` if that is not clear. */
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
