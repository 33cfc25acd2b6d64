import { CodeExecutorError } from '@code-executor/contracts';

/** For a call that there is not, or not for this program. */
export function unknownCall(): CodeExecutorError {
  return new CodeExecutorError('not_found', 'The sandbox asked for something unknown.');
}
