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
  const table = [['Package', 'Version', 'Imports', 'Needs'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => `${index === 0 ? emphasize(line) : line}\n`).join('');
}
