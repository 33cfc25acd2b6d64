import { CodeExecutorError } from '@code-executor/contracts';

/** The error for a call that does not exist, or not for this program. */
export function unknownCall(): CodeExecutorError {
  return new CodeExecutorError('not_found', 'The sandbox asked for something unknown.');
}
