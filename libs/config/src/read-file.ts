import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import { CodeExecutorError } from '@code-executor/contracts';

export interface ReadOptions {
  maxBytes: number;
  /** Whether the path may be a symbolic link. */
  followLink: boolean;
}

/** The part of a file's status that says whom it can be trusted to. */
export interface Ownership {
  uid: number;
  gid: number;
  mode: number;
}

/** Absent on Windows. */
const ownUser = () => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
};

/**
 * The text of a regular file and who can write it; undefined if there is none. Never waits for a
 * pipe or a device. Rejects with `failed_precondition` when there is something that cannot be used.
 */
export async function readRegularFile(
  path: string,
  { maxBytes, followLink }: ReadOptions,
): Promise<{ text: string; bytes: Buffer; ownership: Ownership } | undefined> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW);
  const handle = await open(path, flags).catch((reason: unknown) => {
    const { code = 'unknown reason' } = reason as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw unusable(path, 'is a symbolic link; name the file itself', reason);
    throw unusable(path, `cannot be opened (${code})`, reason);
  });
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw unusable(path, `is ${stats.isDirectory() ? 'a directory' : 'no regular file'}`);
    if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // The size above is a promise only; some special files have none.
      if (bytes > maxBytes) throw tooLarge(path, maxBytes);
      chunks.push(chunk);
    }
    const whole = Buffer.concat(chunks);
    return { text: decode(path, whole), bytes: whole, ownership: stats };
  } catch (error) {
    throw CodeExecutorError.is(error) ? error : unusable(path, 'cannot be read', error);
  } finally {
    await handle.close();
  }
}

/** Why others than this user could have written a file; undefined where they could not, or on Windows. */
export function ownershipProblem({ uid, gid, mode }: Ownership, own = ownUser()): string | undefined {
  if (own === undefined) return undefined;
  if (uid !== own.uid && uid !== 0) return 'belongs to another user; make it your own with chown';
  if ((mode & 0o002) !== 0) return 'can be written by every user; change that with chmod o-w';
  // Where each user has a group of their own, files are made writable for it by default.
  const isOwnGroup = gid === 0 || (gid === own.gid && own.gid === own.uid);
  if ((mode & 0o020) !== 0 && !isOwnGroup) {
    return 'can be written by other users of its group; change that with chmod g-w';
  }
  return undefined;
}

function decode(path: string, bytes: Buffer): string {
  try {
    // Drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unusable(path, 'is not UTF-8 text', error);
  }
}

function tooLarge(path: string, maxBytes: number): CodeExecutorError {
  return unusable(path, `is larger than ${maxBytes / 1024 / 1024} MB`);
}

export function unusable(path: string, what: string, cause?: unknown): CodeExecutorError {
  return new CodeExecutorError('failed_precondition', `File ${path} ${what}.`, { cause });
}
