import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';

import { type Ownership, ownershipProblem, type Writers } from './ownership.js';
import { unusableFile } from './unusable-file.js';

export interface ReadOptions {
  /** A larger file is refused, and never read as a whole. */
  maxBytes: number;
  /** Who may be able to write it. Default `anybody`. */
  writableBy?: Writers;
  /** Whether the path may be a symbolic link. The folders above it always may. Default false. */
  followLink?: boolean;
}

export interface RegularFile {
  bytes: Buffer;
  /** As it was when the file was opened. */
  ownership: Ownership;
  /** Without a byte order mark. Throws `failed_precondition` unless it is UTF-8. */
  text(): string;
}

/**
 * Reads a regular file; undefined if there is none. Never waits for a pipe or a device, and judges what it has
 * opened, not what lies at the path by then. Rejects with `failed_precondition` when there is something else, or the
 * file is too large, or cannot be read, or others can write it.
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
  // Windows has neither flag; to make a link takes special rights there.
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

/** Undefined when there is more than `maxBytes`: the size is a promise only, and some special files have none. */
async function readAll(handle: FileHandle, size: number, maxBytes: number): Promise<Buffer | undefined> {
  // One byte more than it should have, to see its end.
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
    // Drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unusableFile(path, 'is not UTF-8 text', error);
  }
}
