import type { JsonSchema } from '@code-executor/contracts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

import { countJsonBytes } from './json-bytes.js';
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

/** Keywords that can make checking slower than arguments and schema are large. */
const slowKeywords = /"(pattern|patternProperties|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;
/** A schema without them is quick to check if it and the arguments are no larger than this, in bytes of JSON. */
const maxQuickBytes = 4096;

interface Validator {
  validate: ValidateFunction;
  isQuick: boolean;
}

/** Per schema object; null is a schema that cannot be checked. */
const validators = new WeakMap<JsonSchema, Validator | null>();

/**
 * What is wrong with the arguments, or an empty list. A schema that does not compile, is too large, or takes
 * too long is not checked, now or later, and the upstream server decides.
 */
export function checkArguments(schema: JsonSchema, args: unknown): ErrorObject[] {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = compile(schema) ?? null;
    validators.set(schema, validator);
  }
  if (!validator) return [];
  const { validate } = validator;
  // The clock costs as much as the rest of a call, so it runs only where it is needed.
  const isQuick = validator.isQuick && countJsonBytes(args, maxQuickBytes) <= maxQuickBytes;
  try {
    const isValid = isQuick ? validate(args) : runWithin(checkLimitMs, () => validate(args));
    return isValid ? [] : (validate.errors ?? []);
  } catch {
    validators.set(schema, null);
    return [];
  } finally {
    // The errors hold the arguments.
    validate.errors = null;
  }
}

function compile(schema: JsonSchema): Validator | undefined {
  try {
    const json = JSON.stringify(schema);
    if (json.length > maxSchemaChars) return undefined;
    const copy = copyOf(json);
    if (!copy) return undefined;
    const validate = runWithin(compileLimitMs, () => {
      // An instance per schema: two servers may use one $id for different schemas.
      const ajv = is2020(copy) ? new Ajv2020(options) : new Ajv(options);
      ajvFormats.default(ajv);
      return ajv.compile(copy);
    });
    return { validate, isQuick: json.length <= maxQuickBytes && !slowKeywords.test(json) };
  } catch {
    return undefined;
  }
}

/** The schema for us alone; undefined if it is too deep. */
function copyOf(json: string): JsonSchema | undefined {
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
