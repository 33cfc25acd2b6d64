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
 * Replaces the text of a file of the operator's, or makes one for its user only. `change` gets the text, undefined
 * where there is no file; what it throws leaves everything as it is. A file that is there keeps its owner and its
 * permission bits. Others that rewrite it wait for their turn, up to 15 s, at the lock `<path>.lock`.
 *
 * Rejects with `failed_precondition` when the file cannot be read or written, is a link, or others can write it;
 * with `unavailable` when another process does not let go.
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
  throw unusableFile(path, `cannot be written (${reason}); look at its rights and its folder's`, error);
}
