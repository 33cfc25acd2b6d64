import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { Ownership } from './ownership.js';
import { removeAbandoned, temporaryPath } from './temporary-file.js';

export interface ReplaceOptions {
  /** The permission bits of the new file, without those in the umask. Default 0o600: only its user can access it. */
  mode?: number;
  /** In place of `mode`: the owner, the group and the exact permission bits, for example of the file to replace. */
  rights?: Ownership;
}

/**
 * Writes a file as a whole or not at all, even if the process is killed or the power fails: readers see either the old
 * or the new file. The folder must exist. Whatever is at the path is replaced and never written to; of a link, this is
 * the link itself, not its target.
 *
 * Rejects with the error of the operating system, and then leaves nothing behind.
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
    // Fails if anything is at this path, even a link.
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      if (rights) await giveRights(file, rights);
      await file.sync();
      // The time by the clock of the file system, because ours may differ.
      writtenAtMs = (await file.stat()).mtimeMs;
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  // The new file is in place, so a failure from here on is no reason to reject.
  await syncFolder(folder).catch(() => undefined);
  await removeAbandoned(folder, writtenAtMs).catch(() => undefined);
}

async function giveRights(file: FileHandle, { uid, gid, mode }: Ownership): Promise<void> {
  const own = await file.stat();
  if (uid !== own.uid || gid !== own.gid) await file.chown(uid, gid);
  await file.chmod(mode & 0o7777);
}

/** Makes sure that the new name is on the disk, too. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
