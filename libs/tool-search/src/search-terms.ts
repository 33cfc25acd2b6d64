import { termsOf } from './terms.js';

/** One thing to look for. */
export interface SearchTerm {
  term: string;
  /** What it counts, beside others. */
  weight: number;
  /** Which word of the query it stands for. */
  word: number;
}

const maxQueryChars = 1000;
const maxQueryWords = 32;
/** A word found by its meaning says less than the word itself. */
const conceptWeight = 0.4;
/** Two words written as one: `file system` finds `filesystem`. */
const joinedWeight = 0.8;

/**
 * What a query looks for: its words, what they mean, and neighbours written as one. Articles, pronouns and
 * question words only count by what they mean (`where`: a place), or if the query has nothing else.
 */
export function searchTermsOf(query: string): SearchTerm[] {
  const all = termsOf(query.slice(0, maxQueryChars));
  const hasOthers = all.some(({ isStopWord }) => !isStopWord);
  const words = all
    .filter(({ isStopWord, concepts }) => !hasOthers || !isStopWord || concepts.length > 0)
    .slice(0, maxQueryWords);
  const terms = new Map<string, SearchTerm>();
  const add = (term: string, weight: number, word: number): void => {
    if ((terms.get(term)?.weight ?? 0) < weight) terms.set(term, { term, weight, word });
  };
  for (const [word, { stem, concepts, isStopWord }] of words.entries()) {
    const isWord = !hasOthers || !isStopWord;
    if (isWord) add(stem, 1, word);
    for (const concept of concepts) add(concept, conceptWeight, word);
    const next = words[word + 1];
    if (next && isWord) add(stem + next.stem, joinedWeight, word);
  }
  return [...terms.values()];
}
