import { isDeepStrictEqual } from 'node:util';

import { matchesGlob } from '@code-executor/contracts';

/** What counts of a project's wish, and whether some of it does not. */
export interface Narrowed<Value> {
  value: Value | undefined;
  isCut: boolean;
}

/** Decides what a project may have of one key; `own` is what the user has set, if anything. */
export type NarrowRule<Value> = (wish: Value, own: Value | undefined) => Narrowed<Value>;

const granted = <Value>(value: Value): Narrowed<Value> => ({ value, isCut: false });

/** Nothing that widens: whatever the project says. */
export const free = <Value>(wish: Value): Narrowed<Value> => granted(wish);

/** The user's alone. */
export const own = <Value>(wish: Value, value: Value | undefined): Narrowed<Value> => ({
  value,
  isCut: !isDeepStrictEqual(wish, value),
});

/** The wish where it is one of those that narrow, else the user's value; the default where that is not set. */
const allowedIf =
  <Value>(narrows: (wish: Value, now: Value) => boolean, byDefault: Value): NarrowRule<Value> =>
  (wish, set) =>
    narrows(wish, set ?? byDefault) ? granted(wish) : { value: set, isCut: true };

export const atMost = (byDefault: number) => allowedIf<number>((wish, now) => wish <= now, byDefault);
export const atLeast = (byDefault: number) => allowedIf<number>((wish, now) => wish >= now, byDefault);
/** Can be switched to `word`, and not away from it. */
export const onlyTo = (word: boolean, byDefault: boolean) =>
  allowedIf<boolean>((wish, now) => wish === word || wish === now, byDefault);
/** Words from the widest to the narrowest. */
export const towards = <Word extends string>(words: readonly Word[], byDefault: Word) =>
  allowedIf<Word>((wish, now) => words.indexOf(wish) >= words.indexOf(now), byDefault);

/**
 * Entries that the user has, word for word: of a folder within an allowed one nobody knows where its links lead.
 * Without a list of the user's there are none.
 */
export const someOf: NarrowRule<string[]> = (wish, set = []) => {
  const value = wish.filter((entry) => set.includes(entry));
  return { value, isCut: value.length < wish.length };
};

/** As {@link someOf}; `true` is all, `false` none. */
export const someOfOrAll: NarrowRule<boolean | string[]> = (wish, set = false) => {
  if (set === true || wish === false) return granted(wish);
  if (wish === true) return { value: set, isCut: true };
  return someOf(wish, set === false ? [] : set);
};

type Covers = (one: string, other: string) => boolean;

/** Names and globs that the user's cover; of wider ones what the user has. */
const covered = (wish: string[], set: string[], covers: Covers): Narrowed<string[]> => {
  const value = new Set<string>();
  let isCut = false;
  for (const entry of wish) {
    if (set.some((pattern) => covers(pattern, entry))) value.add(entry);
    else {
      isCut = true;
      for (const pattern of set) if (covers(entry, pattern)) value.add(pattern);
    }
  }
  return { value: [...value], isCut };
};
/**
 * Whether all that the second entry allows is allowed by the first, whichever servers there are. Of globs it is, where
 * one matches the other: only a star takes a star. A server covers no glob, which could match the tools of another one.
 */
const coversTools: Covers = (one, other) => {
  if (one === other) return true;
  if (!isServer(one)) return matchesGlob(one, isServer(other) ? `mcp__${other}__*` : other);
  const begin = `mcp__${one}__`;
  // With another __ in it, it may be a tool of a server whose name is longer.
  return other.startsWith(begin) && !/\*|^_|__/.test(other.slice(begin.length));
};
/** As policies read their entries: the name of a server is all its tools. */
const isServer = (entry: string) => !entry.startsWith('mcp__') && !entry.includes('*');

/** Where the user has no list, all tools are allowed. */
export const someToolsOrAny: NarrowRule<string[]> = (wish, set) =>
  set === undefined ? granted(wish) : covered(wish, set, coversTools);
/** Where the user has no list, no tool is allowed. */
export const someToolsOrNone: NarrowRule<string[]> = (wish, set = []) => covered(wish, set, coversTools);
/** Tools of one server; where the user has no list, all are allowed. */
export const someOwnToolsOrAny: NarrowRule<string[]> = (wish, set) =>
  set === undefined ? granted(wish) : covered(wish, set, matchesGlob);

/** A list of what is forbidden: only longer. */
export const more: NarrowRule<string[]> = (wish, set = []) => granted([...new Set([...set, ...wish])]);
