/** Text about what a program threw: as Deno shows it, with the user's own stack lines only. */

const { inspect } = Deno;
const maxChars = 16_000;
const stackLine = /^\s+at .*?(\d+):(\d+)\)?(?: \{)?$/;

/**
 * @param thrown Anything.
 * @param program `{ url, lineCount, prefixLength }`: the program's URL, how many lines it has, and how
 *   many characters were put before its first one.
 */
export function describeError(thrown, program) {
  let text;
  try {
    text = inspect(thrown, { colors: false, depth: 4, strAbbreviateSize: 4000 });
  } catch {
    text = 'The program threw something that cannot be shown.';
  }
  const lines = [];
  for (const line of text.split('\n')) {
    if (isOwnLine(line, program)) lines.push(line);
    // An error's own properties begin on its last stack line.
    else if (line.endsWith(' {') && lines.length > 0) lines[lines.length - 1] += ' {';
  }
  return cut(lines.join('\n'));
}

/** Longest quote of a line of source. */
const maxQuoteChars = 100;

/**
 * The message of a program that could not be read. Deno quotes the line with what was put before it, or
 * cuts it there; this quotes the program's own line.
 */
export function describeLoadError(message, source, { url, prefixLength }) {
  const [, row, column] = /:(\d+):(\d+)$/.exec(message.trimEnd()) ?? [];
  const line = source.split('\n')[Number(row) - 1];
  if (!message.includes(`${url}:${row}:`) || line === undefined) return cut(message);
  const place = Math.max(1, Number(column) - (row === '1' ? prefixLength : 0));
  const start = Math.max(0, place - 1 - maxQuoteChars / 2);
  const quote = line.slice(start, start + maxQuoteChars).trimEnd();
  const margin = ' '.repeat(row.length);
  const summary = cut(message.split('\n')[0]);
  const pointer = ' '.repeat(place - 1 - start);
  return `${summary}\n${row} | ${quote}\n${margin} | ${pointer}^\n    at ${url}:${row}:${column}`;
}

export function cut(text) {
  return text.length > maxChars ? `${text.slice(0, maxChars)} [...]` : text;
}

/** False for stack lines that are not the program's. */
function isOwnLine(line, { url, lineCount, prefixLength }) {
  const [, row, column] = stackLine.exec(line) ?? [];
  if (row === undefined) return true;
  const isWrapper = Number(row) > lineCount || (row === '1' && Number(column) <= prefixLength);
  return line.includes(url) && !isWrapper;
}
