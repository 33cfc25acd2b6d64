import { alphanumeric, codesOf, digit, isIn, letter, setsOf } from './characters.js';
import type { Cursor } from './cursor.js';
import type { Matcher, Pattern } from './pattern.js';
import { restOf } from './rest.js';

/** A secret that is a prefix followed by characters of a set. */
export interface TokenShape {
  name: string;
  finds: string;
  prefixes: readonly string[];
  /** The characters after the prefix, and how many of them there are at least. */
  of: number;
  min: number;
  /** There are exactly `min`, and then the word ends. */
  isExact?: boolean;
  /** A letter and a digit must be among the first ones, because words may follow the prefix, too. */
  isMixed?: boolean;
  /** With so many characters it need not be mixed. */
  longFrom?: number;
  /** Further characters that are dropped after the first ones; default `of`. */
  rest?: number;
  /** Dots between further characters are dropped, too. */
  hasDots?: boolean;
  /** The prefix is only a label: it stays. */
  keepsPrefix?: boolean;
  /** Quotes, `=`, `:` and spaces may stand between the prefix and the value. */
  hasGap?: boolean;
}

/** How many characters are read to see whether a token is mixed. */
const window = 64;
const maxGap = 8;
const gap = codesOf(` \t"'\\:=>,`);

export function tokenPattern(shape: TokenShape): Pattern {
  const { name, finds, prefixes } = shape;
  return { name, kind: 'secret', finds, prefixes, match: tokenMatcher(shape) };
}

function tokenMatcher(shape: TokenShape): Matcher {
  const { of, min, isExact = false, keepsPrefix = false, hasGap = false } = shape;
  const rest = restOf(shape.rest ?? of, shape.hasDots);
  return (cursor, index, prefix) => {
    const from = hasGap ? skipGap(cursor, index + prefix.length) : index + prefix.length;
    const limit = from + Math.max(window, min + 1);
    let end = from;
    let seen = 0;
    for (let code = cursor.at(end); end < limit && isIn(code, of); code = cursor.at(++end)) {
      seen |= setsOf(code);
    }
    const length = end - from;
    if (length < min || (shape.isMixed && !isMixed(seen) && length < (shape.longFrom ?? Infinity))) {
      return undefined;
    }
    const start = keepsPrefix || hasGap ? from : index;
    if (!isExact) return { start, end, rest };
    if (length > min || isIn(cursor.at(end), alphanumeric)) return undefined;
    return { start, end };
  };
}

function isMixed(seen: number): boolean {
  return (seen & digit) !== 0 && (seen & letter) !== 0;
}

function skipGap(cursor: Cursor, from: number): number {
  let index = from;
  while (index < from + maxGap && gap.has(cursor.at(index))) index++;
  return index;
}
