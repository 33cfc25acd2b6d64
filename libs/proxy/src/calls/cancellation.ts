import { CodeExecutorError } from '@code-executor/contracts';

/** The error of a call whose signal fired: the execution ended, and its calls with it. */
export function endedBeforeAnswer(cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('cancelled', 'The execution ended before the call did.', { cause });
}

/**
 * The error of a failed call. If the signal fired, `cancelled`, unless the error has a more specific code, such as
 * `deadline_exceeded`.
 */
export function toFailure(reason: unknown, signal: AbortSignal | undefined): CodeExecutorError {
  const error = CodeExecutorError.from(reason);
  if (!signal?.aborted) return error;
  // Errors with a more specific code stay.
  return ['cancelled', 'internal'].includes(error.code) ? endedBeforeAnswer(reason) : error;
}
