import { isAbsolute } from 'node:path';

import { CodeExecutorError, HostPattern, type JsonSchema, type Permissions } from '@code-executor/contracts';
import * as z from 'zod';

import { describeProblems } from './describe-problems.js';
import type { ExecutionLanguage } from './languages/execution-language.js';
import { withoutFence } from './without-fence.js';

/** What a caller may ask for. */
export interface ExecuteRequest {
  /** The program. */
  code: string;
  /**
   * Upstream tools that it may call: servers (`github`), names or globs (`mcp__github__get_*`). Default: those that the
   * policy allows by default, or none.
   */
  allowedTools?: readonly string[];
  /** Time limit in milliseconds, from the program's start. Default: `limits.defaultTimeoutMs`. */
  timeoutMs?: number;
  /** What it may reach beyond its tools; cut down to the executor's `grants`. Default: nothing. */
  permissions?: Partial<Permissions>;
}

/** Bounds of a request. */
export interface ExecuteLimits {
  /** Milliseconds. Default 30,000, but never more than `maxTimeoutMs`. */
  defaultTimeoutMs?: number;
  /** Milliseconds. Default 300,000. */
  maxTimeoutMs?: number;
  /** Characters of code. Default 100,000. */
  maxCodeSize?: number;
}

/** A request that was checked and completed. */
export interface CheckedRequest {
  code: string;
  allowedTools?: string[];
  timeoutMs: number;
  permissions: Permissions;
}

/** What the parameters depend on. */
type ParametersLanguage = Pick<ExecutionLanguage, 'title' | 'takesFiles'>;

/** The parameters of an execution: one definition for every way in. */
export interface ExecuteParameters {
  /** The schema to publish, for example as an MCP `inputSchema`. It leaves out what programs in the language cannot have. */
  jsonSchema(language: ParametersLanguage): JsonSchema;
  /**
   * Checks what a caller sent. If the language takes no files, none are accepted, whatever the server grants.
   *
   * @throws CodeExecutorError `invalid_argument`; the message names each wrong parameter, the received
   * value and the allowed ones.
   */
  parse(request: unknown, language: ParametersLanguage): CheckedRequest;
}

const minTimeoutMs = 1000;
const maxEntries = 1000;
const maxEntryLength = 4096;

/** Builds the parameters from the limits. */
export function executeParameters(limits: ExecuteLimits = {}): ExecuteParameters {
  const { maxTimeoutMs = 300_000, maxCodeSize = 100_000 } = limits;
  const defaultTimeoutMs = Math.min(limits.defaultTimeoutMs ?? 30_000, maxTimeoutMs);
  const list = (isValid: (entry: string) => boolean) =>
    z.array(z.string().refine((entry) => entry.length <= maxEntryLength && isValid(entry)));
  const bounded = (entries: unknown[]) => entries.length <= maxEntries;
  const net = list((entry) => HostPattern.parse(entry) !== undefined)
    .refine(bounded)
    .optional();
  const paths = list((path) => isAbsolute(path) && !path.includes('\0')).refine(bounded);

  const schema = z.strictObject({
    code: z.string().min(1).max(maxCodeSize).refine(isText),
    allowedTools: list((name) => name !== '')
      .refine(bounded)
      .optional()
      .describe('What it may call: servers, tool names or globs'),
    timeoutMs: z
      .int()
      .min(minTimeoutMs)
      .max(maxTimeoutMs)
      .default(defaultTimeoutMs)
      .describe('Time limit of the program'),
    permissions: z.strictObject({ read: paths.optional(), write: paths.optional(), net }).optional(),
  });
  const withFiles = schema.extend({ permissions: schema.shape.permissions.describe('Paths and hosts') });
  const withoutFiles = schema.extend({ permissions: z.strictObject({ net }).optional().describe('Hosts') });
  const allowed = allowedValues(maxCodeSize, maxTimeoutMs);

  return {
    // A model does not need the address of the dialect.
    jsonSchema: ({ takesFiles }) =>
      withoutDialect(z.toJSONSchema(takesFiles ? withFiles : withoutFiles, { io: 'input' })),
    parse(request, { title, takesFiles }) {
      const { success, data, error } = schema.safeParse(request);
      if (!success) {
        throw new CodeExecutorError('invalid_argument', describeProblems(error.issues, request, allowed));
      }
      const { code, allowedTools, timeoutMs, permissions = {} } = data;
      const { read = [], write = [], net = [] } = permissions;
      if (!takesFiles) refuseFiles(title, { read, write });
      return {
        code: withoutFence(code),
        ...(allowedTools && { allowedTools }),
        timeoutMs,
        permissions: { read, write, net },
      };
    },
  };
}

/** The allowed values of each parameter, in words. */
function allowedValues(maxCodeSize: number, maxTimeoutMs: number): Map<string, string> {
  const absolutePaths = `a list of at most ${maxEntries} absolute paths`;
  return new Map([
    ['', 'an object with the parameters'],
    ['code', `text of 1 to ${maxCodeSize} characters, not only blanks, without lone surrogates`],
    [
      'allowedTools',
      `a list of at most ${maxEntries} servers such as "github", tool names or globs such as "mcp__github__get_*"`,
    ],
    ['timeoutMs', `a whole number from ${minTimeoutMs} to ${maxTimeoutMs}`],
    ['permissions', 'an object with any of the lists read, write and net'],
    ['permissions.read', absolutePaths],
    ['permissions.write', absolutePaths],
    [
      'permissions.net',
      `a list of at most ${maxEntries} hosts such as "api.example.com" or "api.example.com:8443"`,
    ],
  ]);
}

function refuseFiles(language: string, lists: Omit<Permissions, 'net'>): void {
  const problems = Object.entries(lists)
    .filter(([, paths]) => paths.length > 0)
    .map(([kind, { length }]) => `Parameter permissions.${kind} is a list of ${length}`);
  if (problems.length === 0) return;
  throw new CodeExecutorError(
    'invalid_argument',
    `${problems.join('; ')}; ${language} programs take no files: leave it out, and call the tools of a filesystem server instead.`,
  );
}

/** Blank code is a mistake of the caller. A lone surrogate cannot be sent to a program as UTF-8. */
function isText(code: string): boolean {
  return /\S/u.test(code) && !/\p{Surrogate}/u.test(code);
}

function withoutDialect(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}
