import { CodeExecutorError } from '@code-executor/contracts';

/** The error for a file or folder that cannot be used; `what` goes on after its path: `is a directory`. */
export function unusableFile(path: string, what: string, cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('failed_precondition', `File ${path} ${what}.`, { cause });
}
