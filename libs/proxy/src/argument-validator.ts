import type { JsonSchema } from '@code-executor/contracts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

import { runWithin } from './run-within.js';

/** Larger or deeper schemas are not checked: compiling them could hold up the server. */
const maxSchemaChars = 256 * 1024;
const maxSchemaDepth = 64;
/** How long compiling may take, once per schema. */
const compileLimitMs = 500;
/** How long checking may take: patterns come from upstream, arguments from the sandbox; together they may backtrack. */
const checkLimitMs = 250;

const options = {
  strict: false,
  allErrors: true,
  verbose: true,
  // A property named toString is there only if the arguments have it.
  ownProperties: true,
  logger: false,
  // Schemas in the wild break their own meta-schema in harmless ways.
  validateSchema: false,
  meta: false,
} as const;

/** Per schema object; null is a schema that cannot be checked. */
const validators = new WeakMap<JsonSchema, ValidateFunction | null>();

/**
 * What is wrong with the arguments, or an empty list. A schema that does not compile, is too large, or takes
 * too long is not checked, now or later, and the upstream server decides.
 */
export function checkArguments(schema: JsonSchema, args: unknown): ErrorObject[] {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = compile(schema) ?? null;
    validators.set(schema, validate);
  }
  if (!validate) return [];
  try {
    const isValid = runWithin(checkLimitMs, () => validate(args));
    return isValid ? [] : (validate.errors ?? []);
  } catch {
    validators.set(schema, null);
    return [];
  } finally {
    // The errors hold the arguments.
    validate.errors = null;
  }
}

function compile(schema: JsonSchema): ValidateFunction | undefined {
  try {
    const copy = copyOf(schema);
    if (!copy) return undefined;
    return runWithin(compileLimitMs, () => {
      // An instance per schema: two servers may use one $id for different schemas.
      const ajv = is2020(schema) ? new Ajv2020(options) : new Ajv(options);
      ajvFormats.default(ajv);
      return ajv.compile(copy);
    });
  } catch {
    return undefined;
  }
}

/** A plain copy that nobody else can change; undefined if it is too large or too deep. */
function copyOf(schema: JsonSchema): JsonSchema | undefined {
  const json = JSON.stringify(schema);
  if (json.length > maxSchemaChars) return undefined;
  const copy = JSON.parse(json) as JsonSchema;
  if (isDeeper(copy, maxSchemaDepth)) return undefined;
  // Ajv's own keyword: the answer would be a promise.
  delete copy['$async'];
  return copy;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

function is2020({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && $schema.includes('/2020-12/');
}
