import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';

import { readRegularFile } from './read-regular-file.js';
import { replaceFile } from './replace-file.js';
import { takeLock } from './take-lock.js';
import { unusableFile } from './unusable-file.js';

const lockWaitMs = 15_000;

export interface RewriteOptions {
  /** A larger file is refused. */
  maxBytes: number;
}

/**
 * Replaces the text of a file of the operator, or creates one that only its user can access. `change` gets the text, or
 * undefined if there is no file; if it throws, nothing changes. An existing file keeps its owner, group and permission
 * bits. The lock `<path>.lock` lets one caller at a time rewrite the file; others wait for it, up to 15 s.
 *
 * Rejects with `failed_precondition` if the file cannot be read or written, is a link, or can be written to by other
 * users; with `unavailable` if another process does not release the lock in time.
 */
export async function rewriteFile(
  path: string,
  { maxBytes }: RewriteOptions,
  change: (text: string | undefined) => string,
): Promise<void> {
  const release = await takeLock(`${path}.lock`, { subject: `file ${path}`, waitMs: lockWaitMs }).catch(
    (error: unknown) => failToWrite(path, error),
  );
  try {
    const file = await readRegularFile(path, { maxBytes, writableBy: 'operator' });
    const text = change(file?.text());
    await replaceFile(path, text, file && { rights: file.ownership }).catch((error: unknown) =>
      failToWrite(path, error),
    );
  } finally {
    await release();
  }
}

function failToWrite(path: string, error: unknown): never {
  if (CodeExecutorError.is(error)) throw error;
  const reason = systemCodeOf(error) ?? 'unknown reason';
  throw unusableFile(
    path,
    `cannot be written (${reason}); check the permissions of the file and its folder`,
    error,
  );
}
