import { CodeExecutorError } from '@code-executor/contracts';

/** The earliest of several signals; absent ones are left out. */
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = [...new Set(signals)].filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** Waits for the work until the signal fires; then it rejects with the signal's reason, and the work is left alone. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // Not wrapped: whoever catches it tells the signal's reason from another failure.
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Why a call has no answer whose signal fired: only an execution that ends takes its calls along. */
export function endedBeforeAnswer(cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('cancelled', 'The execution ended before the call did.', { cause });
}

/** The reason of a failed call: `cancelled` or `deadline_exceeded` if the signal fired, whatever it was fired with. */
export function toFailure(reason: unknown, signal: AbortSignal | undefined): CodeExecutorError {
  const error = CodeExecutorError.from(reason);
  if (!signal?.aborted) return error;
  const isOurs = error.code === 'cancelled' || (error.code === 'internal' && !CodeExecutorError.is(reason));
  return isOurs ? endedBeforeAnswer(reason) : error;
}
