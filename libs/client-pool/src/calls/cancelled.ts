import { CodeExecutorError } from '@code-executor/contracts';

export function cancelled(signal: AbortSignal): CodeExecutorError {
  return new CodeExecutorError('cancelled', 'The caller cancelled the operation.', { cause: signal.reason });
}
