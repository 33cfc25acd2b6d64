import { CodeExecutorError } from '@code-executor/contracts';

/** Why a call has no answer whose signal fired: only an execution that ends takes its calls along. */
export function endedBeforeAnswer(cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('cancelled', 'The execution ended before the call did.', { cause });
}

/** The reason of a failed call: `cancelled` or `deadline_exceeded` if the signal fired, whatever it was fired with. */
export function toFailure(reason: unknown, signal: AbortSignal | undefined): CodeExecutorError {
  const error = CodeExecutorError.from(reason);
  if (!signal?.aborted) return error;
  // Whatever is not known for something else.
  return ['cancelled', 'internal'].includes(error.code) ? endedBeforeAnswer(reason) : error;
}
