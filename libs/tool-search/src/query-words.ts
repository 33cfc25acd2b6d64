import { type Term, termsOf } from './terms.js';

/** One word of a query. */
export interface QueryWord extends Term {
  /** It and the next word as one: `file system` finds `filesystem`. */
  joined?: string;
}

const maxQueryChars = 1000;
const maxQueryWords = 32;

/**
 * The words that a query looks for. Articles, pronouns and question words count only by what they mean (`where`: a
 * place), or if the query has no other words.
 */
export function queryWordsOf(query: string): QueryWord[] {
  const all = termsOf(query.slice(0, maxQueryChars));
  const hasOthers = all.some(({ isStopWord }) => !isStopWord);
  const words = all
    .map((word) => ({ ...word, isStopWord: hasOthers && word.isStopWord }))
    .filter(({ isStopWord, concepts }) => !isStopWord || concepts.length > 0)
    .slice(0, maxQueryWords);
  return words.map((word, index) => {
    const next = words[index + 1];
    return next && !word.isStopWord ? { ...word, joined: word.stem + next.stem } : word;
  });
}
