import { setTimeout as delay } from 'node:timers/promises';

const maxRetries = 2;
const baseDelayMs = 100;

export interface RetryOptions {
  /** Whether trying again may help. */
  mayRetry: (error: unknown) => boolean;
  /** Limit of all attempts and waits together; if it leaves no time for another attempt, the last error is final. */
  timeoutMs: number;
  /** Ends a wait, which then rejects with an `AbortError`. */
  signal: AbortSignal | undefined;
}

/**
 * Tries at most three times, after a wait of up to 100 ms and one of up to 200 ms. The waits are random, so that calls
 * that failed together do not come back together.
 */
export async function withRetries<T>(
  attempt: (timeLeftMs: number, isRetry: boolean) => Promise<T>,
  { mayRetry, timeoutMs, signal }: RetryOptions,
): Promise<T> {
  const endsAt = performance.now() + timeoutMs;
  let timeLeftMs = timeoutMs;
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(timeLeftMs, retries > 0);
    } catch (error) {
      if (retries === maxRetries || !mayRetry(error)) throw error;
      const delayMs = Math.random() * baseDelayMs * 2 ** retries;
      timeLeftMs = Math.ceil(endsAt - performance.now() - delayMs);
      if (timeLeftMs <= 0) throw error;
      await delay(delayMs, undefined, signal && { signal });
    }
  }
}
