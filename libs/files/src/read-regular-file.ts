import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';

import { type Ownership, ownershipProblem, type Writers } from './ownership.js';
import { unusableFile } from './unusable-file.js';

export interface ReadOptions {
  /** A larger file is refused, and never read as a whole. */
  maxBytes: number;
  /** Who may be able to write to it. Default `anybody`. */
  writableBy?: Writers;
  /** Whether the path may be a symbolic link. The folders above it always may. Default false. */
  followLink?: boolean;
}

export interface RegularFile {
  bytes: Buffer;
  /** As it was when the file was opened. */
  ownership: Ownership;
  /** The text without a byte order mark. Throws `failed_precondition` if it is not UTF-8. */
  text(): string;
}

/**
 * Reads a regular file; undefined if there is none. Never waits for a pipe or a device, and checks the file that it has
 * opened, whatever is at the path by then. Rejects with `failed_precondition` if the path is not a regular file, or the
 * file is too large, cannot be read, or can be written to by others than `writableBy`.
 */
export async function readRegularFile(path: string, options: ReadOptions): Promise<RegularFile | undefined> {
  const { maxBytes, writableBy = 'anybody', followLink = false } = options;
  const handle = await openToRead(path, followLink);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) {
      throw unusableFile(path, `is ${stats.isDirectory() ? 'a directory' : 'no regular file'}`);
    }
    const problem = ownershipProblem(stats, writableBy);
    if (problem !== undefined) throw unusableFile(path, problem);
    const bytes = stats.size > maxBytes ? undefined : await readAll(handle, stats.size, maxBytes);
    if (!bytes) throw unusableFile(path, `is larger than ${maxBytes / 1024 / 1024} MB`);
    const { uid, gid, mode } = stats;
    return { bytes, ownership: { uid, gid, mode }, text: () => decode(path, bytes) };
  } catch (error) {
    throw CodeExecutorError.is(error) ? error : unusableFile(path, 'cannot be read', error);
  } finally {
    await handle.close();
  }
}

async function openToRead(path: string, followLink: boolean): Promise<FileHandle | undefined> {
  // Windows has neither flag, but creating a link needs special rights there.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW);
  try {
    return await open(path, flags);
  } catch (error) {
    const code = systemCodeOf(error) ?? 'unknown reason';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw unusableFile(path, 'is a symbolic link; name the file itself', error);
    throw unusableFile(path, `cannot be opened (${code})`, error);
  }
}

/** Undefined if there is more than `maxBytes`. `size` is not enough: files can grow, and special files report none. */
async function readAll(handle: FileHandle, size: number, maxBytes: number): Promise<Buffer | undefined> {
  // One byte more than the reported size, to detect the end of the file.
  let buffer = Buffer.alloc(size + 1);
  for (let length = 0; ;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > maxBytes) return undefined;
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * length + 4096, maxBytes + 1));
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    // The decoder removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unusableFile(path, 'is not UTF-8 text', error);
  }
}
