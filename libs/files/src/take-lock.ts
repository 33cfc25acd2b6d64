import { setTimeout as wait } from 'node:timers/promises';

import { CodeExecutorError } from '@code-executor/contracts';

import { createLockFile, type Release } from './lock-file.js';
import { inspectLock, removeStaleLock } from './stale-lock.js';

const retryMs = 20;

export interface LockOptions {
  /** What the lock protects, for the error: `the packages in /home/ada/packages`. */
  subject: string;
  /** How long to wait for another process, in ms. Default 0. */
  waitMs?: number;
}

/**
 * Takes a lock. The lock is a file at this path, which names the process that holds it. The lock of a process that is
 * gone is taken over at once. If the process cannot be judged, because it runs on another machine or in another container,
 * its lock is taken over once it has not shown for two minutes that it still runs.
 *
 * Rejects with `unavailable` if another process does not release the lock in time, and with the error of the operating
 * system if the file cannot be created.
 */
export async function takeLock(path: string, { subject, waitMs = 0 }: LockOptions): Promise<Release> {
  // Not the time of day, because that can jump.
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const release = await createLockFile(path);
    if (release) return release;
    if (await removeStaleLock(path)) continue;
    if (performance.now() >= giveUpAt) throw await heldError(path, subject);
    await wait(retryMs);
  }
}

async function heldError(path: string, subject: string): Promise<CodeExecutorError> {
  const { pid, state } = (await inspectLock(path))?.owner ?? {};
  const who = pid === undefined ? 'Another process' : `Process ${pid}`;
  return new CodeExecutorError('unavailable', `${who} is changing ${subject}. ${adviceFor(state, path)}`);
}

function adviceFor(state: string | undefined, path: string): string {
  if (state === 'unknown') return 'Wait until it has ended; if it is gone, try again in two minutes.';
  // What is no file stays until somebody deletes it.
  return `Wait until it has ended${state === undefined ? `; if it is gone, delete ${path}` : ''}.`;
}
