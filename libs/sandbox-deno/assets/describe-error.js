/** Text about what a program threw: as Deno shows it, with the user's own stack lines only. */

import { describeImportFailure, isImportFailure } from './advice.js';

const { inspect } = Deno;
const maxChars = 16_000;
const stackLine = /^\s+at .*?(\d+):(\d+)\)?(?: \{)?$/;

/**
 * @param thrown Anything.
 * @param program `{ url, source, lineCount, prefixLength }`: the program's URL and text, how many lines it has,
 *   and how many characters were put before its first one.
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
  if (!isImportFailure(thrown)) return cut(lines.join('\n'));
  const stack = lines.filter((line) => stackLine.test(line)).map((line) => line.replace(/ \{$/, ''));
  const [, row, column] = stackLine.exec(stack[0] ?? '') ?? [];
  const place = placeOf(program, row, column);
  return [`TypeError: ${describeImportFailure(place?.line.slice(place.start))}`, ...stack].join('\n');
}

/** Longest quote of a line of source. */
const maxQuoteChars = 100;

/**
 * The message of a program that could not be read. Deno quotes the line with what was put before it, or
 * cuts it there; this quotes the program's own line.
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

/** A line of the program, and where in it a column is, counted from 0; undefined if there is no such line. */
function placeOf({ source, prefixLength }, row, column) {
  const line = source.split('\n')[Number(row) - 1];
  return line === undefined
    ? undefined
    : { line, start: Math.max(0, Number(column) - 1 - (row === '1' ? prefixLength : 0)) };
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
