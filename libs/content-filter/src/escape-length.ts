import { hex, isIn } from './characters.js';
import type { Cursor } from './cursor.js';

const backslash = 92;
const percentSign = 37;
/** Letters that stand for a control character after a backslash, and how many hexadecimal digits follow the others. */
const escapes = new Map([
  ...Array.from('nrtbfv', (each) => [each, 0] as const),
  ['x', 2] as const,
  ['u', 4] as const,
]);

/**
 * How many characters at this position belong to an escape sequence that begins just before it, such as the `n` of
 * `\n` or the `3D` of `%3D`; 0 if there is none. In quoted text and in addresses, a new word begins after them.
 */
export function escapeLength(cursor: Cursor, index: number): number {
  if (cursor.previous === percentSign) return hasHex(cursor, index, 2) ? 2 : 0;
  if (cursor.previous !== backslash) return 0;
  const digits = escapes.get(String.fromCharCode(cursor.at(index)));
  if (digits === undefined || !hasHex(cursor, index + 1, digits)) return 0;
  return 1 + digits;
}

function hasHex(cursor: Cursor, from: number, count: number): boolean {
  for (let index = from; index < from + count; index++) {
    if (!isIn(cursor.at(index), hex)) return false;
  }
  return true;
}
