import { digit, isIn } from './characters.js';
import type { Cursor } from './cursor.js';
import type { Match, Pattern } from './pattern.js';

/** A pattern at one of its prefixes. */
interface Entry {
  pattern: Pattern;
  prefix: string;
  /** Gives way to patterns that match right after the prefix. */
  isLabel: boolean;
}

export interface Found extends Match {
  pattern: Pattern;
}

const size = 128;

/** Patterns by the first two characters of their prefixes, so that most positions of a text are dismissed at once. */
export class PatternTable {
  readonly #entries: (Entry[] | undefined)[] = new Array<Entry[] | undefined>(size * size).fill(undefined);
  readonly #atNumbers: Entry[] = [];
  readonly #atWords: Entry[] = [];
  /** Characters other than letters and digits that begin a prefix. */
  readonly #marks = new Uint8Array(size);

  constructor(patterns: readonly Pattern[], labels: readonly Pattern[]) {
    for (const pattern of patterns) this.#add(pattern, false);
    for (const pattern of labels) this.#add(pattern, true);
  }

  /** Whether a prefix may begin with this character, which is no letter and no digit. */
  isMark(code: number): boolean {
    return this.#marks[code] === 1;
  }

  /** The match that begins here; it counts only if the cursor does not need more. */
  matchAt(cursor: Cursor, index: number): Found | undefined {
    const code = cursor.at(index);
    const next = cursor.at(index + 1);
    if (cursor.needsMore) return undefined;
    const entries = code < size && next >= 0 && next < size ? this.#entries[code * size + next] : undefined;
    let found: Found | undefined;
    if (entries) found = this.#first(cursor, index, entries);
    if (!found && isIn(code, digit)) found = this.#first(cursor, index, this.#atNumbers);
    if (!found && this.#marks[code] !== 1) found = this.#first(cursor, index, this.#atWords);
    return found;
  }

  #add(pattern: Pattern, isLabel: boolean): void {
    for (const prefix of pattern.prefixes) {
      const first = prefix.charCodeAt(0);
      const key = first * size + prefix.charCodeAt(1);
      (this.#entries[key] ??= []).push({ pattern, prefix, isLabel });
      if (!/^[a-z\d]/i.test(prefix)) this.#marks[first] = 1;
    }
    if (pattern.at === 'number') this.#atNumbers.push({ pattern, prefix: '', isLabel });
    if (pattern.at === 'word') this.#atWords.push({ pattern, prefix: '', isLabel });
  }

  #first(cursor: Cursor, index: number, entries: readonly Entry[]): Found | undefined {
    for (const { pattern, prefix, isLabel } of entries) {
      if (cursor.needsMore) return undefined;
      if (prefix !== '' && !cursor.startsWith(prefix, index)) continue;
      const match = pattern.match(cursor, index, prefix);
      if (!match) continue;
      if (isLabel && this.matchAt(cursor, match.start)) return undefined;
      return { ...match, pattern };
    }
    return undefined;
  }
}
