import { constants, type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import type { Grant } from './command/deno-command.js';

const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A folder that is held open, and an entry in it: `path` names that entry whatever happens around it. */
export interface HeldEntry {
  folder: FileHandle;
  name: string;
  path: string;
}

/**
 * Opens the folder of `path` beneath its grant, one component after the other, and hands the entry to
 * `use`. No link is followed on the way, also none that appears while this runs: each component is
 * opened relative to the folder before it, which stays open (`openat`, by way of `/proc/self/fd`).
 *
 * @throws CodeExecutorError `permission_denied` outside of all grants or at a link; `not_found`.
 */
export async function withEntryBeneath<T>(
  grants: readonly Grant[],
  path: string,
  use: (entry: HeldEntry) => Promise<T>,
): Promise<T> {
  const wanted = resolve(path);
  const grant = grants.find(
    (candidate) => wanted === candidate.path || wanted.startsWith(join(candidate.path, sep)),
  );
  if (!grant) {
    throw new CodeExecutorError(
      'permission_denied',
      `${path.slice(0, 200)} is outside of what permissions.read and permissions.write grant.`,
    );
  }
  // The grant itself is an entry of its parent, so that it may be a file.
  const steps = [basename(grant.realPath), ...relative(grant.path, wanted).split(sep)].filter(Boolean);
  const name = steps.pop() ?? '';
  let folder = await open(dirname(grant.realPath), openFolder);
  try {
    for (const step of steps) {
      const next = await open(entryPath(folder, step), openFolder);
      await folder.close();
      folder = next;
    }
    return await use({ folder, name, path: entryPath(folder, name) });
  } catch (reason) {
    throw describeFailure(reason, path);
  } finally {
    await folder.close();
  }
}

export function entryPath(folder: FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

/** Opens the entry itself; a link, a pipe or a device in its place is refused and never waited for. */
export function openEntry(entry: HeldEntry, flags: number): Promise<FileHandle> {
  return open(entry.path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
}

const failures: Record<string, ['not_found' | 'permission_denied' | 'failed_precondition', string]> = {
  ENOENT: ['not_found', 'does not exist'],
  ELOOP: ['permission_denied', 'is a link, and links are not followed'],
  ENOTDIR: ['permission_denied', 'leads through a link or a file'],
  EACCES: ['permission_denied', 'cannot be opened by the server'],
  EPERM: ['permission_denied', 'cannot be changed by the server'],
  EROFS: ['permission_denied', 'is on a read-only file system'],
  EEXIST: ['failed_precondition', 'exists already'],
  ENOTEMPTY: ['failed_precondition', 'is not empty'],
  EISDIR: ['failed_precondition', 'is a folder'],
  ENXIO: ['failed_precondition', 'is not a regular file'],
  ENOSPC: ['failed_precondition', 'does not fit on the disk'],
};

function describeFailure(reason: unknown, path: string): unknown {
  const code = typeof reason === 'object' && reason !== null && 'code' in reason ? String(reason.code) : '';
  const failure = Object.hasOwn(failures, code) ? failures[code] : undefined;
  if (!failure) return reason;
  return new CodeExecutorError(failure[0], `${path.slice(0, 200)} ${failure[1]}.`, { cause: reason });
}
