import { mkdirSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isPrivateFolder } from '@code-executor/files';

import { openServerFolder, removeServerFolder } from './server-folder.js';

let living = 0;
let lastNumber = 0;

/** A folder for a single process, with an empty working folder in it. */
export interface PrivateFolder {
  path: string;
  workDir: string;
  /** Bytes of all files in it. */
  size(): Promise<number>;
  remove(): Promise<void>;
}

/** Creates a folder that only this user can enter. */
export function createPrivateFolder(): PrivateFolder {
  const around = openServerFolder();
  const path = join(around, String(++lastNumber));
  const workDir = join(path, 'work');
  mkdirSync(path, { mode: 0o700 });
  mkdirSync(workDir);
  living++;
  return {
    path,
    workDir,
    size: () => sizeOf(path),
    async remove() {
      // The process may be writing while it is being killed.
      const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 };
      if (isPrivateFolder(around)) await rm(path, options);
      living--;
      if (living === 0) removeServerFolder();
    },
  };
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  // Files come and go while they are counted.
  const sizes = entries.map((entry) =>
    lstat(join(folder, entry)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
