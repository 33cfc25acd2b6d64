import { type FileHandle, link, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';

import { ownerText } from './lock-owner.js';
import { temporaryPath } from './temporary-file.js';

/** How often a holder shows that it still runs to those that cannot see its process. */
export const beatMs = 1000;

/** Releases a lock. */
export type Release = () => Promise<void>;

/** Creates a lock file; undefined if something is at the path. Rejects with the error of the operating system. */
export async function createLockFile(path: string): Promise<Release | undefined> {
  // Nothing is written while others wait for their turn.
  if (await lstat(path).catch(() => undefined)) return undefined;
  const text = ownerText();
  const lock = await place(path, text);
  if (!lock) return undefined;
  // The same text again changes nothing but the time of the last change, by the clock of the file system.
  const beat = setInterval(() => void lock.write(text, 0).catch(() => undefined), beatMs).unref();
  return () => {
    clearInterval(beat);
    return release(path, lock);
  };
}

async function place(path: string, text: string): Promise<FileHandle | undefined> {
  const temporary = temporaryPath(dirname(path));
  try {
    const lock = await create(temporary, text);
    try {
      // The lock appears with its content, so that a killed process leaves none without.
      await link(temporary, path);
      return lock;
    } catch (error) {
      await lock.close();
      if (systemCodeOf(error) === 'EEXIST') throw error;
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    // Some file systems have no links.
    return await create(path, text);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** A new file, which stays open; if it cannot be written, it does not stay at all. */
async function create(path: string, text: string): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    return file;
  } catch (error) {
    await release(path, file);
    throw error;
  }
}

/** Removes the lock, unless it was removed and another process has taken a new one by now. */
async function release(path: string, lock: FileHandle): Promise<void> {
  // It stays open until here, so that no other file can get its inode number.
  const [own, there] = await Promise.all([lock.stat(), lstat(path).catch(() => undefined)]);
  await lock.close();
  if (there?.ino === own.ino && there.dev === own.dev) await rm(path, { force: true });
}
