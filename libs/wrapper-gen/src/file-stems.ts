const maxChars = 60;

/**
 * The name of the file for each server, without its extension: `mcp-github`. The names have only letters, digits and the
 * separator, are unique even on case-insensitive file systems, and none is in `taken`.
 */
export function fileStems(
  servers: readonly string[],
  separator: '-' | '_',
  taken: ReadonlySet<string>,
): Map<string, string> {
  const stems = new Map<string, string>();
  const used = new Set(taken);
  const isOwn = (server: string) => (wordsOf(server, separator) === server ? 0 : 1);
  for (const server of [...servers].sort((a, b) => isOwn(a) - isOwn(b) || (a < b ? -1 : 1))) {
    const first = `mcp${separator}${wordsOf(server, separator)}`;
    let stem = first;
    for (let number = 2; used.has(stem); number++) stem = `${first}${separator}${number}`;
    used.add(stem);
    stems.set(server, stem);
  }
  return stems;
}

function wordsOf(server: string, separator: string): string {
  const words = server
    .slice(0, 4 * maxChars)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return words.join(separator).slice(0, maxChars) || 'server';
}
