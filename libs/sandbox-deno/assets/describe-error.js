/** Describes what a program threw: as Deno shows it, but only with stack lines of the program. */

import { describeImportFailure, isImportFailure } from './advice.js';

const { inspect } = Deno;
const maxChars = 16_000;
const stackLine = /^\s+at .*?(\d+):(\d+)\)?(?: \{)?$/;

/**
 * @param thrown Any value.
 * @param program `{ url, source, lineCount, prefixLength }`: the program's URL and text, the number of its lines,
 *   and the number of characters that were put before it.
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
    // Deno opens the list of an error's own properties on the last stack line.
    else if (line.endsWith(' {') && lines.length > 0) lines[lines.length - 1] += ' {';
  }
  if (!isImportFailure(thrown)) return cut(lines.join('\n'));
  const stack = lines.filter((line) => stackLine.test(line)).map((line) => line.replace(/ \{$/, ''));
  const [, row, column] = stackLine.exec(stack[0] ?? '') ?? [];
  const place = placeOf(program, row, column);
  return [`TypeError: ${describeImportFailure(place?.line.slice(place.start))}`, ...stack].join('\n');
}

/** The longest quote from a line of source. */
const maxQuoteChars = 100;

/**
 * Describes why a program could not be loaded. Deno quotes the line with the added prefix, or cuts it off there;
 * this function quotes the line as the program has it.
 */
export function describeLoadError(error, program) {
  const { message } = error;
  const [, row, column] = /:(\d+):(\d+)$/.exec(message.trimEnd()) ?? [];
  const place = message.includes(`${program.url}:${row}:`) ? placeOf(program, row, column) : undefined;
  const summary = isImportFailure(error)
    ? describeImportFailure(place?.line.slice(place.start))
    : cut(place ? message.split('\n')[0] : message);
  if (!place) return summary;
  const quoteStart = Math.max(0, place.start - maxQuoteChars / 2);
  const quote = place.line.slice(quoteStart, quoteStart + maxQuoteChars).trimEnd();
  const margin = ' '.repeat(row.length);
  const pointer = ' '.repeat(place.start - quoteStart);
  return `${summary}\n${row} | ${quote}\n${margin} | ${pointer}^\n    at ${program.url}:${row}:${column}`;
}

/** A line of the program and the index of a column in it, or undefined if there is no such line. */
function placeOf({ source, prefixLength }, row, column) {
  const line = source.split('\n')[Number(row) - 1];
  return line === undefined
    ? undefined
    : { line, start: Math.max(0, Number(column) - 1 - (row === '1' ? prefixLength : 0)) };
}

export function cut(text) {
  return text.length > maxChars ? `${text.slice(0, maxChars)} [...]` : text;
}

/** False for stack lines outside of the program. */
function isOwnLine(line, { url, lineCount, prefixLength }) {
  const [, row, column] = stackLine.exec(line) ?? [];
  if (row === undefined) return true;
  const isWrapper = Number(row) > lineCount || (row === '1' && Number(column) <= prefixLength);
  return line.includes(url) && !isWrapper;
}
