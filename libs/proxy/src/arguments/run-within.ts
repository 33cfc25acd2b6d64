import { type Context, createContext, Script } from 'node:vm';

const script = new Script('work()');
let scope: { work: (() => unknown) | undefined } | undefined;
let context: Context | undefined;
/** Of the limit: whoever had less of the processor, in all attempts together, waited for others. */
const fairShare = 0.5;
/** On a machine whose processors are taken by others, the work gets more time, and so often. */
const maxAttempts = 5;

/**
 * The work was ended. `wasStarved` is true where others had the processor, so that the time says nothing about the
 * work.
 */
export class TimeLimitError extends Error {
  constructor(readonly wasStarved: boolean) {
    super('It took too long.');
  }
}

/**
 * Runs synchronous work, which may be begun anew, and throws a {@link TimeLimitError} when it needs
 * more than `limitMs`. `node:vm` is no wall here, only a clock: it alone can stop a regular expression that backtracks,
 * wherever it is called from.
 */
export function runWithin<T>(limitMs: number, work: () => T): T {
  scope ??= Object.assign(Object.create(null) as object, { work: undefined });
  context ??= createContext(scope);
  scope.work = work;
  try {
    const before = process.cpuUsage();
    for (let attempt = 1; ; attempt++) {
      try {
        // This clock goes on while others have the processor, so the time grows with each attempt.
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
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
