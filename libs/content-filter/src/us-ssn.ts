import { alphanumeric, digit, isIn } from './characters.js';
import type { Pattern } from './pattern.js';
import { runEnd } from './run-end.js';

const length = 11;
const dashCode = 45;
const dotCode = 46;
const underscoreCode = 95;

/** `AAA-GG-SSSS` with the numbers that are given out: no 000, 666 and 9xx, no group 00, no serial 0000. */
export const usSsn: Pattern = {
  name: 'us_ssn',
  kind: 'personal',
  finds: 'social security numbers of the USA',
  prefixes: [],
  at: 'number',
  match(cursor, index) {
    if ([dashCode, dotCode, underscoreCode].includes(cursor.previous)) return undefined;
    if (runEnd(cursor, index, digit, 4) !== index + 3 || cursor.at(index + 3) !== dashCode) return undefined;
    if (runEnd(cursor, index + 4, digit, 3) !== index + 6 || cursor.at(index + 6) !== dashCode)
      return undefined;
    const end = index + length;
    if (runEnd(cursor, index + 7, digit, 5) !== end) return undefined;
    const next = cursor.at(end);
    if (next === dashCode || next === underscoreCode || isIn(next, alphanumeric)) return undefined;
    if (next === dotCode && isIn(cursor.at(end + 1), digit)) return undefined;
    return isGivenOut(cursor.text.slice(index, end)) ? { start: index, end } : undefined;
  },
};

function isGivenOut(number: string): boolean {
  const area = number.slice(0, 3);
  const isArea = area !== '000' && area !== '666' && !area.startsWith('9');
  return isArea && number.slice(4, 6) !== '00' && number.slice(7) !== '0000';
}
