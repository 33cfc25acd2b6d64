import { continuesWord, digit, isIn } from './characters.js';
import type { Cursor } from './cursor.js';
import type { Pattern } from './pattern.js';
import { runEnd } from './run-end.js';

const space = 32;
const dashCode = 45;
const dotCode = 46;
const underscoreCode = 95;
const maxDigits = 19;
/** How cards print their numbers; a longer one first. */
const groupings = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
];
/** Country and check digits of an IBAN, which has groups of four digits, too. */
const ibanStart = /^[A-Z]{2}\d{2}$/;

/** Numbers of the big card brands with a right check digit, in one piece or in groups with spaces or hyphens. */
export const paymentCard: Pattern = {
  name: 'payment_card',
  kind: 'personal',
  finds: 'numbers of payment cards, with their check digit',
  prefixes: [],
  at: 'number',
  match(cursor, index) {
    if (cursor.previous === dotCode || cursor.previous === underscoreCode) return undefined;
    const firstEnd = runEnd(cursor, index, digit, maxDigits + 1);
    const isGrouped = firstEnd - index === 4;
    if (!isGrouped && (firstEnd - index < 14 || firstEnd - index > maxDigits)) return undefined;
    const end = isGrouped ? groupsEnd(cursor, index) : firstEnd;
    if (end === undefined || !endsNumber(cursor, end)) return undefined;
    if (isGrouped && ibanStart.test(cursor.text.slice(Math.max(0, index - 5), index - 1))) return undefined;
    const digits = cursor.text.slice(index, end).replaceAll(/[ -]/g, '');
    return isCard(digits) ? { start: index, end } : undefined;
  },
};

function groupsEnd(cursor: Cursor, index: number): number | undefined {
  const separator = cursor.at(index + 4);
  if (separator !== space && separator !== dashCode) return undefined;
  for (const sizes of groupings) {
    const end = endOf(cursor, index, sizes, separator);
    if (end !== undefined) return end;
  }
  return undefined;
}

function endOf(
  cursor: Cursor,
  index: number,
  sizes: readonly number[],
  separator: number,
): number | undefined {
  let end = index;
  for (const [number, size] of sizes.entries()) {
    const start = number === 0 ? index : end + 1;
    if (number > 0 && cursor.at(end) !== separator) return undefined;
    end = runEnd(cursor, start, digit, size + 1);
    if (end - start !== size) return undefined;
  }
  return isCard(cursor.text.slice(index, end).replaceAll(/[ -]/g, '')) ? end : undefined;
}

function endsNumber(cursor: Cursor, end: number): boolean {
  const next = cursor.at(end);
  if (next === underscoreCode || continuesWord(next)) return false;
  return next !== dotCode || !isIn(cursor.at(end + 1), digit);
}

function isCard(digits: string): boolean {
  return isBrand(digits) && hasCheckDigit(digits);
}

function isBrand(digits: string): boolean {
  const { length } = digits;
  const start = (count: number): number => Number(digits.slice(0, count));
  const between = (count: number, low: number, high: number): boolean =>
    start(count) >= low && start(count) <= high;
  if (digits.startsWith('4')) return length === 16 || length === 19;
  if (between(2, 51, 55) || between(4, 2221, 2720)) return length === 16;
  if (start(2) === 34 || start(2) === 37) return length === 15;
  if (between(3, 300, 305) || [36, 38, 39].includes(start(2))) return length === 14;
  if (start(4) === 6011 || between(3, 644, 649) || start(2) === 65) return length === 16 || length === 19;
  if (between(4, 3528, 3589)) return length === 16;
  if (start(2) === 62) return length >= 16;
  return [5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763].includes(start(4)) && length === 16;
}

/** The sum of Luhn. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let index = digits.length - 1, isDoubled = false; index >= 0; index--, isDoubled = !isDoubled) {
    const value = digits.charCodeAt(index) - 48;
    sum += isDoubled ? (value > 4 ? value * 2 - 9 : value * 2) : value;
  }
  return sum % 10 === 0;
}
