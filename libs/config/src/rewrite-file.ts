import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { CodeExecutorError } from '@code-executor/contracts';

import { readOwnFile } from './config-file.js';
import { unusable } from './read-file.js';

const lockWaitMs = 15_000;
const lockRetryMs = 20;

/**
 * Replaces the text of a file, or makes one for its user only. `change` gets the text, undefined where there is no
 * file; what it throws leaves everything as it is. Whoever reads meanwhile sees the file before or after; others that
 * rewrite it wait for their turn. A file that is there keeps its rights.
 *
 * Rejects with `failed_precondition` when it cannot be read or written, `unavailable` when another process does not
 * let go.
 */
export async function rewriteFile(path: string, change: (text: string | undefined) => string): Promise<void> {
  // Git's way: the new content is written into the lock, which then takes the place of the file.
  const part = `${path}.lock`;
  const lock = await takeLock(part, path);
  try {
    const text = await readOwnFile(path);
    await lock.writeFile(change(text));
    if (text !== undefined) await keepRights(lock, path);
    await lock.sync();
    await lock.close();
    await rename(part, path);
  } catch (error) {
    await lock.close().catch(() => {});
    await rm(part, { force: true });
    // What `change` threw is not ours to word.
    throw CodeExecutorError.is(error) || codeOf(error) === undefined ? error : unwritable(path, error);
  }
}

async function takeLock(lockPath: string, path: string): Promise<FileHandle> {
  const end = Date.now() + lockWaitMs;
  for (;;) {
    try {
      return await open(lockPath, 'wx', 0o600);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw unwritable(path, error);
      if (Date.now() >= end) throw stillLocked(lockPath, path);
    }
    await wait(lockRetryMs);
  }
}

function stillLocked(lockPath: string, path: string): CodeExecutorError {
  const advice = `Wait until it has ended; if there is none, delete ${lockPath}.`;
  return new CodeExecutorError('unavailable', `Another process is changing file ${path}. ${advice}`);
}

async function keepRights(file: FileHandle, path: string): Promise<void> {
  const { uid, gid, mode } = await stat(path);
  const own = await file.stat();
  if (uid !== own.uid || gid !== own.gid) await file.chown(uid, gid);
  await file.chmod(mode);
}

/** The error for a file or folder that cannot be written. */
export function unwritable(path: string, error: unknown): CodeExecutorError {
  return unusable(
    path,
    `cannot be written (${codeOf(error) ?? 'unknown reason'}); look at its rights and its folder's`,
    error,
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
