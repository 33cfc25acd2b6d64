import type { CacheEntry } from '@code-executor/schema-cache';

import { formatTable } from '../format-table.js';

/** Entries as a table with a line of headings, which `emphasize` may colour. */
export function formatEntries(
  entries: readonly CacheEntry[],
  now: number,
  emphasize: (text: string) => string,
): string {
  const rows = entries.map(({ key, bytes, storedAt, expiresAt }) => [
    // The suffix distinguishes different definitions of one name.
    key.replace(/#[0-9a-f]+$/, ''),
    `${(bytes / 1000).toFixed(1)} kB`,
    span(now - storedAt),
    now < expiresAt ? `in ${span(expiresAt - now)}` : 'stale',
  ]);
  return formatTable(['Server', 'Size', 'Age', 'Stale'], rows, emphasize);
}

function span(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
