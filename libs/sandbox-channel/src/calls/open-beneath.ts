import { closeSync, openSync } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

import { CodeExecutorError, type GrantedPath, systemCodeOf } from '@code-executor/contracts';

/** `O_PATH`, which is the same on x64 and arm64. Node does not export it. */
const pathOnly = 0o10000000;
const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** An entry of a folder that is held open, so that `path` stays valid even if the folder is moved. */
export interface HeldEntry {
  path: string;
  name: string;
  /** Whether it is the granted path itself, and not an entry of a granted folder. */
  isGrant: boolean;
}

/**
 * Opens the folder of `path` beneath its grant, one component after another, and passes the entry to `use`. It follows
 * no link on the way, even if one appears while this runs, because it opens each component relative to the open folder
 * before it (like `openat`, by way of `/proc/self/fd`).
 *
 * @throws CodeExecutorError `permission_denied` outside of all grants or at a link; `not_found`.
 */
export async function withEntryBeneath<T>(
  { grants, isWithheld }: { grants: readonly GrantedPath[]; isWithheld: (name: string) => boolean },
  path: string,
  use: (entry: HeldEntry) => Promise<T>,
): Promise<T> {
  const wanted = resolve(path);
  const grant = grants.find((candidate) => isWithin(wanted, candidate.path));
  if (!grant) {
    throw new CodeExecutorError(
      'permission_denied',
      `${path.slice(0, 200)} is outside of what permissions.read and permissions.write grant.`,
    );
  }
  const isHidden = grant.hidden.some((hidden) => isWithin(wanted, hidden.path));
  if (isHidden || wanted.split(sep).some(isWithheld)) {
    throw new CodeExecutorError('permission_denied', `${path.slice(0, 200)} is never granted.`);
  }
  const steps = relative(grant.path, wanted).split(sep).filter(Boolean);
  const name = steps.pop();
  let folder = hold(grant);
  try {
    for (const step of steps) {
      const next = await open(entryPath(folder, step), openFolder);
      await folder.close();
      folder = next;
    }
    return await use(
      name === undefined
        ? { path: `/proc/self/fd/${folder.fd}`, name: grant.path, isGrant: true }
        : { path: entryPath(folder, name), name, isGrant: false },
    );
  } catch (reason) {
    throw describeFailure(reason, path);
  } finally {
    await folder.close();
  }
}

/** Opens a second descriptor synchronously, because an execution that ends in the meantime closes its grants. */
function hold({ handle }: GrantedPath): { fd: number; close: () => Promise<void> | void } {
  const fd = openSync(`/proc/self/fd/${handle.fd}`, pathOnly);
  return {
    fd,
    close: () => {
      closeSync(fd);
    },
  };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(join(folder, sep));
}

export function entryPath(folder: { fd: number }, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

/** Opens the entry itself. It refuses a link, and does not wait for a pipe or a device in its place. */
export function openEntry({ path, isGrant }: HeldEntry, flags: number): Promise<FileHandle> {
  // The path of a grant is a link in /proc, which leads to the open descriptor.
  const follow = isGrant ? 0 : constants.O_NOFOLLOW;
  return open(path, flags | follow | constants.O_NONBLOCK, 0o600);
}

/** Opens the entry only as a reference (`O_PATH`), neither for reading nor for writing. */
export function holdEntry(entry: HeldEntry): Promise<FileHandle> {
  return openEntry(entry, pathOnly);
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
  const code = systemCodeOf(reason) ?? '';
  const failure = Object.hasOwn(failures, code) ? failures[code] : undefined;
  if (!failure) return reason;
  return new CodeExecutorError(failure[0], `${path.slice(0, 200)} ${failure[1]}.`, { cause: reason });
}
