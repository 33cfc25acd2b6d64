import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';

/**
 * Creates a folder and its missing parent folders, accessible only to their user. A folder that exists stays as it is,
 * and may be a link to a folder. Rejects with the error of the operating system.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  // Node's option `recursive` never returns where no folder can be created, as in /proc.
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
