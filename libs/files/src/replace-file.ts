import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Ownership } from './ownership.js';
import { removeAbandoned, temporaryPath } from './temporary-file.js';

export interface ReplaceOptions {
  /** The permission bits of the new file, less the umask. Default 0o600: for its user only. */
  mode?: number;
  /** Owner, group and exactly these permission bits instead: those of the file that is replaced, for example. */
  rights?: Ownership;
}

/**
 * Puts a file with this content at the path, in a folder that is there: as a whole or not at all, also where the
 * process is killed or the power fails. Others read the file before or the file after. What was at the path is
 * replaced, never written to: a link itself, not what it points to.
 *
 * Rejects with the error of the operating system, and leaves nothing behind then.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, rights }: ReplaceOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = temporaryPath(folder);
  let writtenAtMs: number;
  try {
    // Fails where anything is, a link too.
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      if (rights) await giveRights(file, rights);
      await file.sync();
      // By the clock of the file system: ours may be wrong.
      writtenAtMs = (await file.stat()).mtimeMs;
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  // The file is there: what fails from here on is not worth an error.
  await syncFolder(folder).catch(() => undefined);
  await removeAbandoned(folder, writtenAtMs).catch(() => undefined);
}

async function giveRights(file: FileHandle, { uid, gid, mode }: Ownership): Promise<void> {
  const own = await file.stat();
  if (uid !== own.uid || gid !== own.gid) await file.chown(uid, gid);
  await file.chmod(mode & 0o7777);
}

/** The new name is on the disk then, too. Windows syncs no folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
