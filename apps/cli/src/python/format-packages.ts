import { formatTable } from '../format-table.js';
import type { LockedPackage } from './package-lock.js';

/** Packages as a table with a line of headings, which `emphasize` may colour. */
export function formatPackages(
  packages: readonly LockedPackage[],
  emphasize: (text: string) => string,
): string {
  const rows = packages.map(({ name, version, imports, depends }) => [
    name,
    version,
    imports.join(', '),
    depends.join(', '),
  ]);
  return formatTable(['Package', 'Version', 'Imports', 'Needs'], rows, emphasize);
}
