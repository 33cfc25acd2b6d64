import { createHash } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { beatMs, createLockFile } from './lock-file.js';
import { type Owner, ownerOf } from './lock-owner.js';
import { readRegularFile } from './read-regular-file.js';

const maxLockBytes = 4096;
const claimPattern = /^\.code-executor-[0-9a-f]{32}\.lock$/;
/** A holder whose process cannot be judged shows every second that it runs. */
const silentAfterMs = 120_000;
/** A machine that slept wakes with all its locks old: their holders get the time to show that they still run. */
const lastChanceMs = 3 * beatMs;

/** A lock file as it was found. */
export interface FoundLock {
  owner: Owner;
  /** Of this lock and this state of it; a later lock at the same path has another one. */
  identity: string;
  isStale: boolean;
}

/** Undefined if there is nothing, or something that is no file, which nobody can have created as a lock. */
export async function inspectLock(path: string): Promise<FoundLock | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const file = await readRegularFile(path, { maxBytes: maxLockBytes }).catch(() => undefined);
  const text = file?.bytes.toString('latin1') ?? '';
  const owner = await ownerOf(text);
  const seconds = Math.floor(stats.mtimeMs / 1000);
  return {
    owner,
    identity: createHash('sha256').update(`${seconds}\n${text}`).digest('hex').slice(0, 32),
    isStale:
      owner.state === 'gone' || (owner.state === 'unknown' && Date.now() - stats.mtimeMs > silentAfterMs),
  };
}

/**
 * Removes a lock whose holder is gone; true if it is worth to try again at once.
 *
 * Several processes may find it at the same time, and one that is slow must not remove the lock that a faster one has
 * taken since. Therefore only the holder of a claim may remove it: a lock with a name that follows from the identity of
 * the stale lock. While somebody holds it, nobody else removes that very lock, and whoever gets it looks again first.
 */
export async function removeStaleLock(path: string): Promise<boolean> {
  const isRemoved = await remove(path);
  if (isRemoved) await removeStaleClaims(dirname(path)).catch(() => undefined);
  return isRemoved;
}

async function remove(path: string): Promise<boolean> {
  const found = await inspectLock(path);
  if (!found?.isStale) return false;
  const claimPath = join(dirname(path), `.code-executor-${found.identity}.lock`);
  const release = await createLockFile(claimPath);
  // The holder of the claim may be gone as well.
  if (!release) return remove(claimPath);
  try {
    if (found.owner.state !== 'gone') await wait(lastChanceMs);
    const now = await inspectLock(path);
    if (now?.identity === found.identity) await rm(path, { force: true });
    return true;
  } finally {
    await release();
  }
}

/** Claims of processes that were killed before they could release them: nobody comes across them again. */
async function removeStaleClaims(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (claimPattern.test(name)) await remove(join(folder, name));
  }
}
