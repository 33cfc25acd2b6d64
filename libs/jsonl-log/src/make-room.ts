import { lstat, unlink } from 'node:fs/promises';

import { systemCodeOf } from '@code-executor/contracts';

import { listFiles, type LogPlace } from './log-files.js';

/**
 * Removes the oldest files until all of them have at most `maxBytes` together, even once the `current` file has grown
 * to `maxFileBytes`. The current file is never removed. Rejects if a file cannot be removed.
 */
export async function makeRoom(
  place: LogPlace,
  { maxBytes, maxFileBytes }: { maxBytes: number; maxFileBytes: number },
  current: string,
): Promise<void> {
  const files = (await listFiles(place)).filter(({ path }) => path !== current);
  const sizes = await Promise.all(files.map(({ path }) => sizeOf(path)));
  let total = Math.max(await sizeOf(current), maxFileBytes) + sizes.reduce((sum, size) => sum + size, 0);
  for (const [index, { path }] of files.entries()) {
    if (total <= maxBytes) return;
    await unlinkAnyway(path);
    total -= sizes[index] ?? 0;
  }
}

/** 0 for a file that is not there: another process may have removed it. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Resolves with whether the file was there: another process may be faster. */
export async function unlinkAnyway(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
