import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';

import { makePrivateFolder } from '@code-executor/files';

/** Never follows a link, and never waits for the other end of a pipe. */
const careful = constants.O_NONBLOCK | constants.O_NOFOLLOW;

export interface OpenFile {
  handle: FileHandle;
  inode: number;
  /** In bytes. */
  size: number;
}

/**
 * Opens a file of lines to append to. Unless it `isThere` already, it is made with its folder if necessary: readable
 * by their owner only, whatever the umask.
 */
export async function openToAppend(path: string, { isThere }: { isThere: boolean }): Promise<OpenFile> {
  const folder = dirname(path);
  // For reading, too, to see whether the last line has an end.
  const flags = constants.O_RDWR | constants.O_APPEND | careful;
  if (isThere) {
    const [file, place] = await Promise.allSettled([open(path, flags), checkFolder(folder)]);
    if (file.status === 'rejected') throw file.reason;
    if (place.status === 'fulfilled') return checked(file.value);
    await file.value.close();
    throw place.reason;
  }
  await makeFolder(folder);
  await checkFolder(folder);
  return checked(await open(path, flags | constants.O_CREAT, 0o600));
}

async function checkFolder(folder: string): Promise<void> {
  const stats = await lstat(folder);
  if (stats.isDirectory()) return;
  throw new TypeError(stats.isSymbolicLink() ? 'its folder is a link' : 'its folder is a file');
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder);
  } catch (error) {
    // Something else is there: `checkFolder` says what.
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}

/** Opens a file of lines to read. */
export async function openToRead(path: string): Promise<FileHandle> {
  return (await checked(await open(path, constants.O_RDONLY | careful))).handle;
}

async function checked(handle: FileHandle): Promise<OpenFile> {
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TypeError('it is not a regular file');
    if (stats.nlink > 1) throw new TypeError('it has a second name (a hard link)');
    if (stats.uid !== (process.getuid?.() ?? stats.uid)) throw new TypeError('it belongs to another user');
    return { handle, inode: stats.ino, size: stats.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: "the disk's quota is used up",
  EFBIG: 'it is as large as files may be here',
  EACCES: 'access to it is denied',
  EPERM: 'access to it is denied',
  EROFS: 'the file system is read-only',
  ELOOP: 'a link is in its place',
  EMLINK: 'a link is in its place',
  EISDIR: 'a folder is in its place',
  ENXIO: 'it is not a regular file',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'its folder is a file',
  EEXIST: 'its folder is a file',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Why a file cannot be used, without its path. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return error.message;
  const code = systemCodeOf(error);
  return code === undefined ? 'it fails' : (words[code] ?? `it fails with ${code}`);
}
