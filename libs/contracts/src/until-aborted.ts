/**
 * Waits for the work until the signal fires, then rejects with the signal's reason. The work goes on, and its outcome is
 * ignored.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    // Not wrapped, so that callers can tell the signal's reason from another failure.
    const stop = () => reject(signal.reason as Error);
    const settle = <V>(give: (value: V) => void) => {
      return (value: V) => {
        signal.removeEventListener('abort', stop);
        give(value);
      };
    };
    work.then(settle(resolve), settle(reject));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
