import type { CacheEntry } from '@code-executor/schema-cache';

const unprintable = /\p{Cc}/gu;

/** Entries as a table with a line of headings, which `emphasize` may colour. */
export function formatEntries(
  entries: readonly CacheEntry[],
  now: number,
  emphasize: (text: string) => string,
): string {
  const rows = entries.map(({ key, bytes, storedAt, expiresAt }) => [
    // Whoever can write the cache chose this name.
    key.replace(unprintable, '�'),
    `${(bytes / 1000).toFixed(1)} kB`,
    span(now - storedAt),
    now < expiresAt ? `in ${span(expiresAt - now)}` : 'stale',
  ]);
  const table = [['Server', 'Size', 'Age', 'Stale'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line, index) => `${index === 0 ? emphasize(line) : line}\n`).join('');
}

function span(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
