import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Never follows a link, never waits for whoever is at the other end of a pipe. */
const careful = constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Opens a file of lines to append to, made with its folder if need be: for their owner only, whatever the umask. */
export async function openToAppend(path: string): Promise<FileHandle> {
  const folder = dirname(path);
  await makeFolder(folder);
  const stats = await lstat(folder);
  if (!stats.isDirectory()) {
    throw new TypeError(stats.isSymbolicLink() ? 'its folder is a link' : 'its folder is a file');
  }
  // Reading, too: whether the last line has an end.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | careful;
  return checked(await open(path, flags, 0o600));
}

/** With those above it. Node's own way, `recursive`, never ends where no folder can be made, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Opens a file of lines to read. */
export async function openToRead(path: string): Promise<FileHandle> {
  return checked(await open(path, constants.O_RDONLY | careful));
}

async function checked(handle: FileHandle): Promise<FileHandle> {
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TypeError('it is no regular file');
    if (stats.nlink > 1) throw new TypeError('it has a second name (a hard link)');
    if (stats.uid !== (process.getuid?.() ?? stats.uid)) throw new TypeError('it belongs to another user');
    return handle;
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
  ENXIO: 'it is no regular file',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'its folder is a file',
  EEXIST: 'its folder is a file',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Why a file cannot be used, without its path. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return error.message;
  const code = codeOf(error);
  return code === undefined ? 'it fails' : (words[code] ?? `it fails with ${code}`);
}
