import { type Context, createContext, Script } from 'node:vm';

import { systemCodeOf } from '@code-executor/contracts';

const script = new Script('work()');
let scope: { work: (() => unknown) | undefined } | undefined;
let context: Context | undefined;
/** The share of the limit below which work was starved: it had less processor time in all attempts together. */
const fairShare = 0.5;
/** How often the work is begun anew, with more time, on a machine whose processors are busy. */
const maxAttempts = 5;

/**
 * The work was ended. `wasStarved` is true if other processes had the processor, so that the time says nothing about
 * the work.
 */
export class TimeLimitError extends Error {
  constructor(readonly wasStarved: boolean) {
    super('It took too long.');
  }
}

/**
 * Runs synchronous work, which may be begun anew, and throws a {@link TimeLimitError} if it needs more than `limitMs`.
 * `node:vm` is not a wall here, only a clock: nothing else can stop a regular expression that backtracks.
 */
export function runWithin<T>(limitMs: number, work: () => T): T {
  scope ??= Object.assign(Object.create(null) as object, { work: undefined });
  context ??= createContext(scope);
  scope.work = work;
  try {
    const before = process.cpuUsage();
    for (let attempt = 1; ; attempt++) {
      try {
        // This clock also runs while others have the processor, so each attempt gets more time.
        return script.runInContext(context, { timeout: (limitMs * attempt) / 2 }) as T;
      } catch (error) {
        if (!isTimeout(error)) throw error;
        const wasStarved = usedMs(before) < limitMs * fairShare;
        // Collecting the garbage of other work may have taken all of the first attempt.
        const isTooSlow = !wasStarved && attempt > 1;
        if (isTooSlow || attempt === maxAttempts) throw new TimeLimitError(wasStarved);
      }
    }
  } finally {
    scope.work = undefined;
  }
}

/** Processor time of this process in milliseconds. */
export function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function isTimeout(error: unknown): boolean {
  return systemCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
