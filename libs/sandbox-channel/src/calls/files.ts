import { constants, type FileHandle, mkdir as makeFolder, readdir, rmdir, unlink } from 'node:fs/promises';

import { CodeExecutorError, type JsonObject } from '@code-executor/contracts';

import type { HostCall } from '../host-call.js';
import { unknownCall } from '../unknown-call.js';
import { entryPath, type HeldEntry, holdEntry, openEntry, withEntryBeneath } from './open-beneath.js';

/** The largest file that a program can read at once. */
const maxFileBytes = 8 * 1024 * 1024;
const maxEntries = 10_000;
const setIdBits = 0o6000;

/**
 * A host call that serves granted files and folders to code without file access of its own. Only on Linux, because
 * elsewhere Node cannot open a path without following links that appear in the meantime.
 */
function serving(
  grantsFor: 'read' | 'write',
  serve: (entry: HeldEntry, params: JsonObject) => Promise<unknown>,
): HostCall {
  return {
    async answer(params, { files }) {
      if (!files) throw unknownCall();
      if (process.platform !== 'linux') {
        throw new CodeExecutorError('failed_precondition', 'Files can be granted on Linux only.');
      }
      const path = params['path'];
      if (typeof path !== 'string' || path.includes('\0')) {
        throw new CodeExecutorError('invalid_argument', 'A path is a string without NUL.');
      }
      const { grants, isWithheld } = files;
      // What may be written may be read.
      const allowed = grantsFor === 'read' ? [...grants.read, ...grants.write] : grants.write;
      return withEntryBeneath({ grants: allowed, isWithheld }, path, (entry) => serve(entry, params));
    },
  };
}

export const readFile = serving('read', bytesOf);
export const stat = serving('read', statusOf);
export const readDir = serving('read', entriesOf);
export const writeFile = serving('write', writeTo);
export const mkdir = serving('write', ({ path }) => makeFolder(path, 0o700).then(() => null));
export const remove = serving('write', (entry, { recursive }) =>
  removeEntry(entry, recursive === true).then(() => null),
);

async function bytesOf(entry: HeldEntry): Promise<string> {
  return using(openEntry(entry, constants.O_RDONLY), async (file) => {
    const stats = await file.stat();
    if (!stats.isFile())
      throw new CodeExecutorError('failed_precondition', `${entry.name} is not a regular file.`);
    if (stats.size > maxFileBytes) throw tooLarge(entry.name);
    // If the file grows in the meantime, only its original size is read.
    const buffer = Buffer.alloc(stats.size);
    let length = 0;
    while (length < stats.size) {
      const { bytesRead } = await file.read(buffer, length, stats.size - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.toString('base64', 0, length);
  });
}

async function writeTo(entry: HeldEntry, { data, append, createNew }: JsonObject): Promise<null> {
  if (typeof data !== 'string')
    throw new CodeExecutorError('invalid_argument', 'The data of a file is missing.');
  const flags =
    constants.O_WRONLY |
    constants.O_CREAT |
    (append === true ? constants.O_APPEND : 0) |
    (createNew === true ? constants.O_EXCL : 0);
  await using(openEntry(entry, flags), async (file) => {
    const stats = await file.stat();
    if (!stats.isFile())
      throw new CodeExecutorError('failed_precondition', `${entry.name} is not a regular file.`);
    if ((stats.mode & setIdBits) !== 0) {
      // If the server runs as root, the kernel would keep these bits when the file is changed.
      throw new CodeExecutorError(
        'permission_denied',
        `${entry.name} runs with the rights of its owner, so programs do not change it.`,
      );
    }
    if (append !== true) await file.truncate();
    await file.writeFile(Buffer.from(data, 'base64'));
  });
  return null;
}

async function statusOf(entry: HeldEntry): Promise<JsonObject> {
  const stats = await using(holdEntry(entry), (held) => held.stat());
  if (stats.isSymbolicLink()) {
    throw new CodeExecutorError('permission_denied', `${entry.name} is a link, and links are not followed.`);
  }
  return {
    isFile: stats.isFile(),
    isDirectory: stats.isDirectory(),
    size: stats.size,
    mtimeMs: stats.mtimeMs,
  };
}

async function entriesOf(entry: HeldEntry): Promise<JsonObject[]> {
  return using(openEntry(entry, constants.O_RDONLY | constants.O_DIRECTORY), async (folder) => {
    const entries = await readdir(`/proc/self/fd/${folder.fd}`, { withFileTypes: true });
    if (entries.length > maxEntries) {
      throw new CodeExecutorError('resource_exhausted', `${entry.name} has more than ${maxEntries} entries.`);
    }
    return entries.map((found) => ({
      name: found.name,
      isFile: found.isFile(),
      isDirectory: found.isDirectory(),
      isSymlink: found.isSymbolicLink(),
    }));
  });
}

/** Removes a link itself, never its target. */
async function removeEntry(entry: HeldEntry, isRecursive: boolean): Promise<void> {
  if (entry.isGrant) {
    throw new CodeExecutorError(
      'permission_denied',
      `${entry.name} is the granted path itself, which cannot be removed.`,
    );
  }
  const stats = await using(holdEntry(entry), (held) => held.stat());
  if (!stats.isDirectory()) return unlink(entry.path);
  if (isRecursive) {
    await using(openEntry(entry, constants.O_RDONLY | constants.O_DIRECTORY), async (folder) => {
      for (const name of await readdir(`/proc/self/fd/${folder.fd}`)) {
        await removeEntry({ name, path: entryPath(folder, name), isGrant: false }, true);
      }
    });
  }
  return rmdir(entry.path);
}

function tooLarge(name: string): CodeExecutorError {
  return new CodeExecutorError(
    'resource_exhausted',
    `${name} is larger than ${maxFileBytes / 1024 / 1024} MB.`,
  );
}

async function using<T>(opening: Promise<FileHandle>, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await opening;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
