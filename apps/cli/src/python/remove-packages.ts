import { CodeExecutorError } from '@code-executor/contracts';

import type { PackageFolder } from './package-folder.js';

/**
 * Removes packages by their normalized names.
 *
 * @throws CodeExecutorError `not_found` when one is not installed, `failed_precondition` while a package that stays
 * needs it.
 */
export async function removePackages(names: ReadonlySet<string>, folder: PackageFolder): Promise<void> {
  await folder.change((packages) => {
    for (const name of names) {
      if (packages.delete(name)) continue;
      throw new CodeExecutorError(
        'not_found',
        `Package ${name} is not installed; code-executor python list shows the packages that are.`,
      );
    }
    for (const name of names) {
      const users = [...packages.values()].filter(({ depends }) => depends.includes(name));
      if (users.length === 0) continue;
      const list = users.map((user) => user.name);
      throw new CodeExecutorError(
        'failed_precondition',
        `Package ${name} is needed by ${list.join(', ')}; remove those too: code-executor python remove ${[...new Set([...names, ...list])].join(' ')}`,
      );
    }
    return Promise.resolve({ packages, wheels: [] });
  });
}
