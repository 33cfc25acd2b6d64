import { isIn } from './characters.js';
import type { Cursor } from './cursor.js';

/** Where a run of characters of these sets ends; at most `max` of them are read. */
export function runEnd(cursor: Cursor, from: number, sets: number, max: number): number {
  let end = from;
  while (end - from < max && isIn(cursor.at(end), sets)) end++;
  return end;
}
