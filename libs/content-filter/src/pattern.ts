import type { Cursor } from './cursor.js';

/** What a pattern finds: credentials, or data about a person. */
export type ViolationKind = 'secret' | 'personal';

/** Consumes what still belongs to a match: returns where it stopped, and whether the match ends there. */
export type Rest = (cursor: Cursor, from: number) => { to: number; isOver: boolean };

/** The part of the text that is replaced. */
export interface Match {
  start: number;
  /** The first index that does not belong to it, as far as it was read. */
  end: number;
  /** For matches of any length: they are recognized by their beginning, and the rest is dropped as it arrives. */
  rest?: Rest;
}

/** Looks for a match at a position where one of the prefixes of its pattern stands. Reads a bounded number of characters. */
export type Matcher = (cursor: Cursor, index: number, prefix: string) => Match | undefined;

export interface Pattern {
  /** A stable name in snake_case, for records. */
  name: string;
  kind: ViolationKind;
  /** What it finds, in a few words. */
  finds: string;
  /**
   * How a match begins, at least two characters. A prefix that begins with a letter or digit is found only where a word
   * begins. Patterns without prefixes are tried at each number or word, as `at` says.
   */
  prefixes: readonly string[];
  at?: 'number' | 'word';
  match: Matcher;
}
