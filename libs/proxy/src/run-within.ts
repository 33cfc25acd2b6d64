import { type Context, createContext, Script } from 'node:vm';

const script = new Script('work()');
let scope: { work: (() => unknown) | undefined } | undefined;
let context: Context | undefined;

/**
 * Runs synchronous work and throws when it takes longer than `limitMs`. `node:vm` is no wall here, only a
 * clock: it alone can stop a regular expression that backtracks, wherever it is called from.
 */
export function runWithin<T>(limitMs: number, work: () => T): T {
  scope ??= Object.assign(Object.create(null) as object, { work: undefined });
  context ??= createContext(scope);
  scope.work = work;
  try {
    return script.runInContext(context, { timeout: limitMs }) as T;
  } finally {
    scope.work = undefined;
  }
}
