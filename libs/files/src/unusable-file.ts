import { CodeExecutorError } from '@code-executor/contracts';

/** The error for an unusable file or folder; `what` continues the sentence after its path: `is a directory`. */
export function unusableFile(path: string, what: string, cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('failed_precondition', `File ${path} ${what}.`, { cause });
}
