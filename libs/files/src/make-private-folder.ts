import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';

/**
 * Makes a folder, and those above it that are missing, for their user only. One that is there stays as it is, and may
 * be a link to a folder. Rejects with the error of the operating system.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  // Node's own way, `recursive`, never ends where no folder can be made, as in /proc.
  try {
    await makeOne(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makePrivateFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const there = await stat(path).catch(() => undefined);
    if (!there?.isDirectory()) throw error;
  }
}
