/** Text about what a program threw: as Deno shows it, with the user's own stack lines only. */

const { inspect } = Deno;
const maxChars = 16_000;

/**
 * @param thrown Anything.
 * @param program `{ url, prefixLength }`: what the program's URL is, and how many characters were put
 *   before its first line.
 */
export function describeError(thrown, program) {
  let text;
  try {
    text = inspect(thrown, { colors: false, depth: 4, strAbbreviateSize: 4000 });
  } catch {
    text = 'The program threw something that cannot be shown.';
  }
  const lines = text.split('\n').filter((line) => !isForeignStackLine(line, program.url));
  const own = lines.join('\n').replaceAll(program.url, 'program.ts');
  const placed = own.replaceAll(/program\.ts:1:(\d+)/g, (_, column) => {
    return `program.ts:1:${Math.max(1, Number(column) - program.prefixLength)}`;
  });
  return placed.length > maxChars ? `${placed.slice(0, maxChars)} [...]` : placed;
}

function isForeignStackLine(line, url) {
  return /^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line) && !line.includes(url);
}
