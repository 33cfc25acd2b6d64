import { stemmer } from 'stemmer';

import { conceptsOf } from './concepts.js';
import { isStopWord } from './stop-words.js';

/** Longer words, such as encoded data, are cut. */
const maxWordChars = 40;
/** Stems of words seen, for stemming costs more than looking up; emptied when full. */
const stems = new Map<string, string>();
const maxStems = 20_000;

/** One word of a text: its stem, and the concepts that it stands for, alone or with the word after it. */
export interface Term {
  stem: string;
  concepts: readonly string[];
  /** Whether only the concepts count, the word being an article, a pronoun or the like. */
  isStopWord: boolean;
}

/**
 * The words of a text or a name: `camelCase`, `snake_case` and `kebab-case` are split, and a word in camel
 * case is there as a whole too (`GitHub`: `git`, `hub`, `github`). Accents are dropped.
 */
export function termsOf(text: string): Term[] {
  const words = wordsOf(text);
  const found = words.map(stemOf);
  return found.map((stem, index) => {
    const next = found[index + 1];
    const phrase = next === undefined ? [] : conceptsOf(`${stem} ${next}`);
    return {
      stem,
      concepts: phrase.length > 0 ? phrase : conceptsOf(stem),
      isStopWord: isStopWord(words[index] ?? ''),
    };
  });
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((run) => {
    const word = run.slice(0, maxWordChars);
    const parts = word
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
      // `HTTPServer`, but not `URLs`.
      .replace(/(\p{Lu})(\p{Lu}(?!s(?!\p{L}))\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .split(' ');
    return parts.length > 1 ? [...parts, word.toLowerCase()] : parts;
  });
}

function stemOf(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stemmer(word);
    if (stems.size >= maxStems) stems.clear();
    stems.set(word, stem);
  }
  return stem;
}
