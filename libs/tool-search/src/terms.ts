import { stemmer } from 'stemmer';

import { conceptsOf, phraseConceptsOf } from './concepts.js';
import { isStopWord } from './stop-words.js';

/** One word of a text. */
export interface Term {
  stem: string;
  /** What it stands for, alone or with the word after it. */
  concepts: readonly string[];
  /** Whether only its concepts count, because the word is an article, a pronoun or the like. */
  isStopWord: boolean;
}

/** Longer words, such as encoded data, are cut. */
const maxWordChars = 40;
/** The terms of words that were seen, because tools repeat their words. It is emptied when it is full. */
const known = new Map<string, readonly Term[]>();
const maxKnown = 20_000;

/**
 * The words of a text or a name: `camelCase`, `snake_case` and `kebab-case` are split, and a word in camel
 * case is there as a whole too (`GitHub`: `git`, `hub`, `github`). Accents are dropped.
 */
export function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  for (const run of withoutAccents(text).match(/[\p{L}\p{N}]+/gu) ?? []) terms.push(...termsOfRun(run));
  for (let index = 1; index < terms.length; index++) {
    const [first, second] = [terms[index - 1], terms[index]] as [Term, Term];
    const concepts = phraseConceptsOf(first.stem, second.stem);
    if (concepts) terms[index - 1] = { ...first, concepts };
  }
  return terms;
}

/** A name without the separators of its words: `Weird.Name-x_Y` is `weirdnamexy`. */
export function wholeName(text: string): string {
  return withoutAccents(text)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

/** A name as one word. */
export function wholeTermOf(name: string): Term {
  return toTerm(wholeName(name).slice(0, maxWordChars));
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}+/gu, '');
}

/** The words of a run of letters and digits. */
function termsOfRun(run: string): readonly Term[] {
  const cut = run.slice(0, maxWordChars);
  let terms = known.get(cut);
  if (!terms) {
    terms = splitCase(cut).map(toTerm);
    if (known.size >= maxKnown) known.clear();
    known.set(cut, terms);
  }
  return terms;
}

function splitCase(run: string): string[] {
  const parts = run
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    // `HTTPServer`, but not `URLs`.
    .replace(/(\p{Lu})(\p{Lu}(?!s(?!\p{L}))\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(' ');
  return parts.length > 1 ? [...parts, run.toLowerCase()] : parts;
}

function toTerm(word: string): Term {
  const stem = stemmer(word);
  return { stem, concepts: conceptsOf(stem), isStopWord: isStopWord(word) };
}
