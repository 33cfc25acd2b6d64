import { CodeExecutorError, type JsonObject } from '@code-executor/contracts';
import { identifierOf, type IdentifierStyle } from '@code-executor/schema-types';

import type { HostCall, HostCallTable } from './host-call.js';
import { hostCallTable } from './host-call-table.js';

/**
 * Answers an embedder's own host call. The handler must validate `params`, because they come from untrusted code. The
 * answer is JSON of at most 16 MB. A `CodeExecutorError` reaches the program with its code and message; of any other
 * error, the program learns only that there was one. `signal` aborts when the program is over.
 */
export type HostCallHandler = (params: JsonObject, signal: AbortSignal) => Promise<unknown>;

/** Handlers by the names of their calls, in camel case. */
export type HostCallHandlers = Readonly<Record<string, HostCallHandler>>;

/** What programs may ask for, including an embedder's own calls. */
export interface OwnHostCalls {
  table: HostCallTable;
  /** The names of the embedder's calls, by their names in programs. */
  globals: Readonly<Record<string, string>>;
}

/**
 * Adds an embedder's own calls to the built-in ones.
 *
 * @param style - How programs write names.
 * @param taken - The globals that programs have anyway.
 * @throws CodeExecutorError `invalid_argument` for a name that is not in camel case, is taken, or would mean two calls.
 */
export function withOwnHostCalls(
  handlers: HostCallHandlers,
  style: IdentifierStyle,
  taken: ReadonlySet<string> = new Set(),
): OwnHostCalls {
  const globals = new Map<string, string>();
  for (const name of Object.keys(handlers)) {
    if (identifierOf(name, 'camelCase') !== name)
      throw unfit(name, 'is not a name in camel case, such as timeOfDay');
    if (hostCallTable.has(name)) throw unfit(name, 'is the name of a built-in host call');
    const written = identifierOf(name, style);
    if (taken.has(written)) throw unfit(name, `would replace the global ${written} of programs`);
    const other = globals.get(written);
    if (other !== undefined) throw unfit(name, `is called ${written} in programs, as "${other}" is`);
    globals.set(written, name);
  }
  const own = Object.entries(handlers).map(([name, handler]): [string, HostCall] => [
    name,
    ownCall(name, handler),
  ]);
  return { table: new Map([...hostCallTable, ...own]), globals: Object.fromEntries(globals) };
}

function ownCall(name: string, handler: HostCallHandler): HostCall {
  return {
    async answer({ args }, _context, signal) {
      if (typeof args === 'object' && args !== null && !Array.isArray(args)) return handler(args, signal);
      throw new CodeExecutorError('invalid_argument', `${name} takes one object, or nothing.`);
    },
  };
}

function unfit(name: string, problem: string): CodeExecutorError {
  return new CodeExecutorError(
    'invalid_argument',
    `hostCalls: "${name.slice(0, 100)}" ${problem}; choose another.`,
  );
}
