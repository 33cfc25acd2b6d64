import { isIn } from './characters.js';
import type { Rest } from './pattern.js';

const dotCode = 46;

/** Drops further characters of these sets; with `dots` also dots between such characters. */
export function restOf(sets: number, dots = false): Rest {
  return (cursor, from) => {
    let to = from;
    while (to < cursor.text.length) {
      const code = cursor.at(to);
      if (!isIn(code, sets)) {
        if (!dots || code !== dotCode) return { to, isOver: true };
        if (!isIn(cursor.at(to + 1), sets)) return { to, isOver: !cursor.needsMore };
      }
      to++;
    }
    return { to, isOver: false };
  };
}
