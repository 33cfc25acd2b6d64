import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';

import { CodeExecutorError, type Permissions } from '@code-executor/contracts';

import type { Grant, Grants } from './command/deno-command.js';

/** Never granted: the kernel's own trees, and where strict isolation keeps the product. */
const neverGranted = ['/proc', '/sys', '/dev', '/app'];

/**
 * The paths behind `permissions.read` and `permissions.write`.
 *
 * @throws CodeExecutorError `permission_denied` for a path that is not absolute, does not exist, or
 * leads to one of the kernel's trees.
 */
export async function resolveGrants(permissions: Pick<Permissions, 'read' | 'write'>): Promise<Grants> {
  return {
    read: await Promise.all(permissions.read.map((path) => resolveGrant('read', path))),
    write: await Promise.all(permissions.write.map((path) => resolveGrant('write', path))),
  };
}

async function resolveGrant(kind: 'read' | 'write', path: string): Promise<Grant> {
  const refuse = (reason: string) =>
    new CodeExecutorError('permission_denied', `permissions.${kind} "${path.slice(0, 200)}" ${reason}.`);
  if (!isAbsolute(path) || path.includes('\0') || path.includes('\n'))
    throw refuse('is not an absolute path');
  const grant = { path: resolve(path), realPath: await realpath(path).catch(() => '') };
  if (!grant.realPath) throw refuse('does not exist; name a file or folder that does');
  if (isWithinNeverGranted(grant.path) || isWithinNeverGranted(grant.realPath)) {
    throw refuse('cannot be granted; name a folder of your own data');
  }
  return grant;
}

function isWithinNeverGranted(path: string): boolean {
  return path === '/' || neverGranted.some((tree) => path === tree || path.startsWith(`${tree}/`));
}
