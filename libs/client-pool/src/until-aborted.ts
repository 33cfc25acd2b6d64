import { CodeExecutorError } from '@code-executor/contracts';

/** Waits for the promise until the signal fires, then rejects with `cancelled`. The work itself goes on. */
export function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export function cancelled(signal: AbortSignal): CodeExecutorError {
  return new CodeExecutorError('cancelled', 'The caller cancelled the operation.', { cause: signal.reason });
}
