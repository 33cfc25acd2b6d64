import { continuesWord } from './characters.js';
import { Cursor } from './cursor.js';
import { escapeLength } from './escape-length.js';
import type { Pattern, Rest, ViolationKind } from './pattern.js';
import type { Found, PatternTable } from './pattern-table.js';

/** How many characters before the current position patterns may look at. */
const contextChars = 8;

const replacements: Record<ViolationKind, string> = {
  secret: '[REDACTED_SECRET]',
  personal: '[REDACTED_PII]',
};

/** One pass over a text that may arrive in parts. What it returns does not depend on how the text is divided. */
export class Scan {
  readonly #table: PatternTable;
  readonly #onMatch: (pattern: Pattern) => void;
  /** Up to `contextChars` characters that were passed on, then those that are held back. */
  #text = '';
  #at = 0;
  /** With fewer characters than this, another look at what is held back is not worth it. */
  #nextLook = 0;
  #isInWord = false;
  #isAfterEscape = false;
  /** Set while the rest of a match is dropped. */
  #rest: Rest | undefined;

  constructor(table: PatternTable, onMatch: (pattern: Pattern) => void) {
    this.#table = table;
    this.#onMatch = onMatch;
  }

  /** Adds text, and returns what can be passed on. `isLast`: nothing follows, therefore nothing is held back. */
  push(chunk: string, isLast: boolean): string {
    this.#text += chunk;
    if (this.#text.length < this.#nextLook && !isLast) return '';
    const cursor = new Cursor(this.#text, isLast);
    const passed = this.#advance(cursor);
    const keptFrom = Math.max(0, this.#at - contextChars);
    this.#text = this.#text.slice(keptFrom);
    this.#at -= keptFrom;
    // Looking again at every character would take quadratic time; a quarter more is a constant factor.
    this.#nextLook = this.#text.length + Math.floor((this.#text.length - this.#at) / 4);
    return passed;
  }

  /** Moves as far as it can be decided what becomes of the text. */
  #advance(cursor: Cursor): string {
    const { length } = cursor.text;
    let passed = '';
    let copiedTo = this.#at;
    while (this.#at < length) {
      if (this.#rest) {
        const isOver = this.#dropRest(cursor, this.#rest);
        copiedTo = this.#at;
        if (!isOver) return passed;
        continue;
      }
      const found = this.#step(cursor);
      if (cursor.needsMore) break;
      if (!found) continue;
      passed += cursor.text.slice(copiedTo, found.start) + replacements[found.pattern.kind];
      this.#onMatch(found.pattern);
      this.#rest = found.rest;
      this.#moveTo(cursor, found.end);
      copiedTo = found.end;
    }
    return copiedTo === 0 && this.#at === length
      ? cursor.text
      : passed + cursor.text.slice(copiedTo, this.#at);
  }

  /** Passes characters at which nothing can begin, until a match begins or more text is needed. */
  #step(cursor: Cursor): Found | undefined {
    const { text } = cursor;
    while (this.#skip(text)) {
      const at = this.#at;
      cursor.previous = this.#isAfterEscape || at === 0 ? -1 : text.charCodeAt(at - 1);
      const found = this.#table.matchAt(cursor, at);
      const escape = found ? 0 : escapeLength(cursor, at);
      if (found || cursor.needsMore) return found;
      this.#isAfterEscape = escape > 0;
      this.#isInWord = escape === 0 && continuesWord(text.charCodeAt(at));
      this.#at += Math.max(1, escape);
    }
    return undefined;
  }

  /** Moves to the next position at which something may begin: a word or a mark. False if there is none. */
  #skip(text: string): boolean {
    const start = this.#at;
    let at = start;
    let isInWord = this.#isInWord;
    let isFound = false;
    const table = this.#table;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const isWord = continuesWord(code);
      isFound = isWord ? !isInWord : table.isMark(code);
      if (isFound) break;
      isInWord = isWord;
    }
    this.#at = at;
    this.#isInWord = isInWord;
    if (at > start) this.#isAfterEscape = false;
    return isFound;
  }

  #dropRest(cursor: Cursor, rest: Rest): boolean {
    const { to, isOver } = rest(cursor, this.#at);
    this.#moveTo(cursor, to);
    if (isOver) this.#rest = undefined;
    return isOver;
  }

  #moveTo(cursor: Cursor, index: number): void {
    if (index === this.#at) return;
    this.#at = index;
    this.#isInWord = continuesWord(cursor.text.charCodeAt(index - 1));
    this.#isAfterEscape = false;
  }
}
