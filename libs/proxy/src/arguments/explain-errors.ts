import type { ToolSchema } from '@code-executor/contracts';
import { type ToolForm, toolSignature } from '@code-executor/schema-types';
import type { ErrorObject } from 'ajv';

import { describeType } from './describe-type.js';
import { quoteName, quoteValue } from '../quote.js';

const maxProblems = 5;
/** How many errors are read, and how many are shown; there may be a hundred thousand of a megabyte each. */
const maxErrors = 500;
const maxWritten = 20;

/** What is wrong with the arguments of a tool, and how it is called in the program's language. */
export function explainErrors(tool: ToolSchema, errors: readonly ErrorObject[], form: ToolForm): string {
  const kept = withoutBranches(errors.slice(0, maxErrors));
  const problems = [...new Set(kept.slice(0, maxWritten).map(explain))];
  const shown = problems.slice(0, maxProblems).join('; ');
  const more = problems.length + Math.max(0, kept.length - maxWritten) - maxProblems;
  return (
    `The arguments of ${quoteName(tool.name)} do not match its schema: ${shown}` +
    `${more > 0 ? `; and ${more} more` : ''}. Its signature is ${toolSignature(tool, form)}`
  );
}

function explain(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies': {
      const missing = String(params['missingProperty']);
      const properties = error.parentSchema?.['properties'] as Record<string, unknown> | undefined;
      const expected = describeType(properties?.[missing]);
      return problem(`${error.instancePath}/${escapePointer(missing)}`, expected, undefined);
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const value = (error.data as Record<string, unknown>)[extra];
      return problem(`${error.instancePath}/${escapePointer(extra)}`, 'no such parameter', value);
    }
    case 'type':
    case 'enum':
    case 'const':
    case 'anyOf':
      return problem(error.instancePath, expectedType(error), error.data);
    case 'oneOf':
      return params['passingSchemas']
        ? problem(error.instancePath, 'a value that matches only one of the alternatives', error.data)
        : problem(error.instancePath, expectedType(error), error.data);
    case 'pattern':
      return problem(
        error.instancePath,
        `text that matches ${quoteName(String(params['pattern']))}`,
        error.data,
      );
    case 'format':
      return problem(error.instancePath, `the format ${quoteName(String(params['format']))}`, error.data);
    default:
      return problem(
        error.instancePath,
        (error.message ?? 'another value').replace(/^must /, 'to '),
        error.data,
      );
  }
}

/** Only the keyword that failed, not all that its schema requires; for an array, also what it holds. */
function expectedType({ keyword, schema, parentSchema }: ErrorObject): string {
  return describeType({ [keyword]: schema, items: parentSchema?.['items'] as unknown });
}

function problem(path: string, expected: string, received: unknown): string {
  return `${pathText(path)}: expected ${expected}, received ${quoteValue(received)}`;
}

/** `/files/0/name` as `files[0].name`, the whole as `arguments`. */
function pathText(pointer: string): string {
  if (pointer === '') return 'arguments';
  const text = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
  return quoteName(text);
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * A failed `anyOf` reports itself and whatever failed in each branch. One line is enough: the errors inside
 * the value if there are any, because then the branch was nearly right; otherwise the list of types.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      const isBranch = ({ schemaPath }: ErrorObject) => schemaPath.startsWith(`${error.schemaPath}/`);
      const isInside = (inner: ErrorObject) =>
        isBranch(inner) && (inner.instancePath !== error.instancePath || isAboutMembers(inner));
      const inside = kept.filter(isInside);
      kept = [...kept.filter((other) => !isBranch(other)), ...(inside.length > 0 ? inside : [error])];
    } else if (error.keyword !== 'if') {
      kept.push(error);
    }
  }
  return kept;
}

function isAboutMembers({ keyword }: ErrorObject): boolean {
  return ['required', 'additionalProperties', 'unevaluatedProperties'].includes(keyword);
}
