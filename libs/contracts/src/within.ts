/**
 * What the work resolves with, or undefined if it has not ended after `ms` milliseconds or when the signal fires.
 * The work itself goes on; what becomes of it later is ignored. Rejects if the work rejects in time.
 */
export async function within<T>(ms: number, work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    timer = setTimeout(stop, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
