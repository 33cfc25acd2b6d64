import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';

import { readRegularFile } from './read-regular-file.js';

const retryMs = 20;

export interface LockOptions {
  /** What nobody else can change meanwhile, for the error: `the packages in /home/ada/packages`. */
  subject: string;
  /** How long to wait for another process, in ms. Default 0. */
  waitMs?: number;
}

/** Lets go of a lock. */
export type Release = () => Promise<void>;

/**
 * Takes the lock that a file at this path is: it holds the id of the process that has it. The lock of a process that
 * was killed stays, and the error says which file to delete: no time stamp tells whether a process that sleeps is gone.
 *
 * Rejects with `unavailable` when another process does not let go in time, and with the error of the operating system
 * when the file cannot be made.
 */
export async function takeLock(path: string, { subject, waitMs = 0 }: LockOptions): Promise<Release> {
  // Not the time of day, which may jump.
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

/** Removes the lock unless it is another's by now, because somebody has deleted ours. */
async function release(path: string, lock: FileHandle): Promise<void> {
  // It is open until here, so that no other file has its number.
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
