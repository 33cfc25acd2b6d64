import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';

import { readRegularFile } from './read-regular-file.js';

const retryMs = 20;

export interface LockOptions {
  /** What the lock protects, for the error: `the packages in /home/ada/packages`. */
  subject: string;
  /** How long to wait for another process, in ms. Default 0. */
  waitMs?: number;
}

/** Releases a lock. */
export type Release = () => Promise<void>;

/**
 * Takes a lock. The lock is a file at this path, which contains the id of the process that holds it. The lock of a
 * killed process stays, because no time stamp can tell whether a suspended process is gone; the error says which file
 * to delete.
 *
 * Rejects with `unavailable` if another process does not release the lock in time, and with the error of the operating
 * system if the file cannot be created.
 */
export async function takeLock(path: string, { subject, waitMs = 0 }: LockOptions): Promise<Release> {
  // Not the time of day, because that can jump.
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const lock = await create(path);
    if (lock) return () => release(path, lock);
    if (performance.now() >= giveUpAt) throw await heldError(path, subject);
    await wait(retryMs);
  }
}

async function create(path: string): Promise<FileHandle | undefined> {
  let lock: FileHandle;
  try {
    lock = await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    await lock.writeFile(`${process.pid}\n`);
    return lock;
  } catch (error) {
    await release(path, lock);
    throw error;
  }
}

/** Removes the lock, unless somebody has deleted it and another process has taken a new one by now. */
async function release(path: string, lock: FileHandle): Promise<void> {
  // It stays open until here, so that no other file can get its inode number.
  const [own, there] = await Promise.all([lock.stat(), lstat(path).catch(() => undefined)]);
  await lock.close();
  if (there?.ino === own.ino && there.dev === own.dev) await rm(path, { force: true });
}

async function heldError(path: string, subject: string): Promise<CodeExecutorError> {
  const file = await readRegularFile(path, { maxBytes: 1024 * 1024 }).catch(() => undefined);
  const owner = /^\d{1,10}\n$/.exec(file?.bytes.toString('latin1') ?? '')?.[0].trim();
  const who = owner === undefined ? 'Another process' : `Process ${owner}`;
  const advice = `Wait until it has ended; if it is gone, delete ${path}.`;
  return new CodeExecutorError('unavailable', `${who} is changing ${subject}. ${advice}`);
}
