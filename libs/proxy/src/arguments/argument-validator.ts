import { CodeExecutorError, type JsonSchema, type ToolSchema } from '@code-executor/contracts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

import { countJsonBytes } from '../json-bytes.js';
import { quoteName } from '../quote.js';
import { runWithin, TimeLimitError, usedMs } from './run-within.js';

/** Larger or deeper schemas are not checked, because compiling them could hold up the server. */
const maxSchemaChars = 256 * 1024;
const maxSchemaDepth = 64;
/** Processor time for compiling, once per schema. */
const compileLimitMs = 500;
/** Processor time for a check. Patterns come from upstream and arguments from the sandbox; together they may backtrack. */
const checkLimitMs = 250;

const options = {
  strict: false,
  allErrors: true,
  verbose: true,
  // A property named toString counts only if the arguments have it.
  ownProperties: true,
  logger: false,
  // Real schemas break their own meta-schema in harmless ways.
  validateSchema: false,
  meta: false,
} as const;

/** Keywords that can make a check take much longer than the size of arguments and schema suggests. */
const slowKeywords = /"(pattern|patternProperties|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;
/** A schema without them is quick to check if it and the arguments are no larger than this, in bytes of JSON. */
const maxQuickBytes = 4096;

interface Validator {
  validate: ValidateFunction;
  isQuick: boolean;
}

/** Per schema object; null is a schema that cannot be checked. */
const validators = new WeakMap<JsonSchema, Validator | null>();

/** The processor time that is left for checks, in milliseconds. */
export interface CheckTime {
  leftMs: number;
}

/**
 * What is wrong with the arguments, or an empty list. A schema that does not compile, is too large, or takes
 * too long to compile is not checked, now or later, and the upstream server decides.
 *
 * @throws CodeExecutorError `resource_exhausted` if the check does not end, or `time` is used up. That depends on these
 * arguments, so others are still checked against the schema. `unavailable` if other processes have the processor.
 */
export function checkArguments(tool: ToolSchema, args: unknown, time: CheckTime): ErrorObject[] {
  const validator = validatorOf(tool, time);
  if (!validator) return [];
  const { validate } = validator;
  // The clock costs as much as the rest of a call, so it runs only if it is needed.
  const isQuick = validator.isQuick && countJsonBytes(args, maxQuickBytes) <= maxQuickBytes;
  if (!isQuick && time.leftMs <= 0) throw usedUp(tool);
  const before = isQuick ? undefined : process.cpuUsage();
  try {
    const isValid = isQuick ? validate(args) : runWithin(checkLimitMs, () => validate(args));
    return isValid ? [] : (validate.errors ?? []);
  } catch (error) {
    throw endless(tool, error);
  } finally {
    if (before) time.leftMs -= usedMs(before);
    // The errors hold the arguments.
    validate.errors = null;
  }
}

/** The first caller of a tool pays for compiling its schema, because the schemas of a thousand tools may take minutes. */
function validatorOf(tool: ToolSchema, time: CheckTime): Validator | null {
  const schema = tool.parameters;
  const known = validators.get(schema);
  if (known !== undefined) return known;
  if (time.leftMs <= 0) throw usedUp(tool);
  const before = process.cpuUsage();
  try {
    const validator = compile(schema) ?? null;
    validators.set(schema, validator);
    return validator;
  } catch (error) {
    throw endless(tool, error);
  } finally {
    time.leftMs -= usedMs(before);
  }
}

function usedUp({ name, server }: ToolSchema): CodeExecutorError {
  return new CodeExecutorError(
    'resource_exhausted',
    `The arguments of ${quoteName(name)} were not checked: the checks so far have used up their processor time. Send less at once, or split the work over several executions.`,
    { tool: name, server },
  );
}

function endless({ name, server }: ToolSchema, error: unknown): CodeExecutorError {
  const about = { tool: name, server };
  return error instanceof TimeLimitError && error.wasStarved
    ? new CodeExecutorError(
        'unavailable',
        `The arguments of ${quoteName(name)} were not checked: the machine is too busy.`,
        {
          ...about,
          retryAfterMs: 1000,
        },
      )
    : new CodeExecutorError(
        'resource_exhausted',
        `The arguments of ${quoteName(name)} take too long to check against its schema; send less, or shorter texts.`,
        about,
      );
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
      const compiled = ajv.compile(copy);
      // A schema that never ends by itself also does not end for an empty object.
      compiled({});
      return compiled;
    });
    return { validate, isQuick: json.length <= maxQuickBytes && !slowKeywords.test(json) };
  } catch (error) {
    if (error instanceof TimeLimitError && error.wasStarved) throw error;
    return undefined;
  }
}

/** A copy of the schema that may be changed; undefined if it is too deep. */
function copyOf(json: string): JsonSchema | undefined {
  const copy = JSON.parse(json) as JsonSchema;
  if (isDeeper(copy, maxSchemaDepth)) return undefined;
  // Ajv's own keyword, with which the answer would be a promise.
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
