import { isDeepStrictEqual } from 'node:util';

import { matchesGlob } from '@code-executor/contracts';

/** The part of a project's wish that counts, and whether that is not all of it. */
export interface Narrowed<Value> {
  value: Value | undefined;
  isCut: boolean;
}

/** Decides what a project may set for one key; `own` is the user's value, if there is one. */
export type NarrowRule<Value> = (wish: Value, own: Value | undefined) => Narrowed<Value>;

const granted = <Value>(value: Value): Narrowed<Value> => ({ value, isCut: false });

/** The project decides, because no value widens anything. */
export const free = <Value>(wish: Value): Narrowed<Value> => granted(wish);

/** Only the user decides. */
export const own = <Value>(wish: Value, value: Value | undefined): Narrowed<Value> => ({
  value,
  isCut: !isDeepStrictEqual(wish, value),
});

/** The wish if it narrows the user's value, or the default if the user has none; otherwise the user's value. */
const allowedIf =
  <Value>(narrows: (wish: Value, now: Value) => boolean, byDefault: Value): NarrowRule<Value> =>
  (wish, set) =>
    narrows(wish, set ?? byDefault) ? granted(wish) : { value: set, isCut: true };

export const atMost = (byDefault: number) => allowedIf<number>((wish, now) => wish <= now, byDefault);
export const atLeast = (byDefault: number) => allowedIf<number>((wish, now) => wish >= now, byDefault);
/** A project can switch to `word`, but not away from it. */
export const onlyTo = (word: boolean, byDefault: boolean) =>
  allowedIf<boolean>((wish, now) => wish === word || wish === now, byDefault);
/** Words from the widest to the narrowest. */
export const towards = <Word extends string>(words: readonly Word[], byDefault: Word) =>
  allowedIf<Word>((wish, now) => words.indexOf(wish) >= words.indexOf(now), byDefault);

/**
 * Only entries that the user has, word for word, because links in a folder inside an allowed one may lead anywhere.
 * Without a list of the user, there are none.
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

/** Names and globs that the user's list covers; a wider one is replaced by the user's entries that it covers. */
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
 * Whether the first entry allows everything that the second one allows, whichever servers there are. A glob covers
 * another if it matches it, because only a star matches a star. A server covers no glob, which could match the tools of
 * another server.
 */
const coversTools: Covers = (one, other) => {
  if (one === other) return true;
  if (!isServer(one)) return matchesGlob(one, isServer(other) ? `mcp__${other}__*` : other);
  const begin = `mcp__${one}__`;
  // With another __ in it, it may be a tool of a server with a longer name.
  return other.startsWith(begin) && !/\*|^_|__/.test(other.slice(begin.length));
};
/** As in policies, the name of a server stands for all its tools. */
const isServer = (entry: string) => !entry.startsWith('mcp__') && !entry.includes('*');

/** Without a list of the user, all tools are allowed. */
export const someToolsOrAny: NarrowRule<string[]> = (wish, set) =>
  set === undefined ? granted(wish) : covered(wish, set, coversTools);
/** Without a list of the user, no tool is allowed. */
export const someToolsOrNone: NarrowRule<string[]> = (wish, set = []) => covered(wish, set, coversTools);
/** Tools of one server. Without a list of the user, all are allowed. */
export const someOwnToolsOrAny: NarrowRule<string[]> = (wish, set) =>
  set === undefined ? granted(wish) : covered(wish, set, matchesGlob);

/** A list of tools that are forbidden or need agreement, which can only become longer. */
export const more: NarrowRule<string[]> = (wish, set = []) => granted([...new Set([...set, ...wish])]);
