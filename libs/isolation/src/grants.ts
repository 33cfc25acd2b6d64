import { readlinkSync } from 'node:fs';
import { resolve } from 'node:path';

import { CodeExecutorError, type GrantedPermissions } from '@code-executor/contracts';

/** The files and folders of the host that a process may open; `write` includes reading. */
export type Grants = Pick<GrantedPermissions, 'read' | 'write'>;

/** Never granted: the kernel's own trees, and the folder in which strict isolation mounts the product. */
const reserved = ['/proc', '/sys', '/dev', '/app'];

/**
 * @throws CodeExecutorError `permission_denied` for a path that cannot be mounted in a sandbox: the root, the kernel's
 * trees, the sandbox's own folder, and any path that is not absolute and normalized.
 */
export function refuseReserved({ read, write }: Grants): void {
  for (const [kind, grants] of Object.entries({ read, write })) {
    for (const { path, handle } of grants) {
      const refuse = (reason: string) => {
        throw new CodeExecutorError(
          'permission_denied',
          `permissions.${kind} "${path.slice(0, 200)}" ${reason}.`,
        );
      };
      if (path !== resolve(path) || /[\0\n]/.test(path)) refuse('is not an absolute path');
      if (isReserved(path) || isReserved(readlinkSync(`/proc/self/fd/${handle.fd}`))) {
        refuse('cannot be granted; name a folder of your own data');
      }
    }
  }
}

function isReserved(path: string): boolean {
  return path === '/' || reserved.some((tree) => path === tree || path.startsWith(`${tree}/`));
}
