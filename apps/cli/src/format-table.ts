import { printable } from '@code-executor/contracts';

/**
 * Rows as aligned columns below a line of headings, which `emphasize` may colour. Cells may contain text from
 * untrusted sources: it cannot control the terminal.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  emphasize: (text: string) => string,
): string {
  const table = [headings, ...rows].map((row) => row.map((cell) => printable(cell)));
  const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => `${index === 0 ? emphasize(line) : line}\n`).join('');
}
