import type { ToolSchema } from '@code-executor/contracts';
import MiniSearch from 'minisearch';

import { isConcept } from './concepts.js';
import { type SearchTerm, searchTermsOf } from './search-terms.js';
import { termsOf } from './terms.js';
import { type ToolText, toolText } from './tool-text.js';

/** A tool that answers a query, and how well: only the order within one search means something. */
export interface ToolMatch {
  tool: ToolSchema;
  score: number;
}

/** What a word counts where it is found. */
const boost: Record<keyof ToolText, number> = {
  name: 4,
  title: 3,
  summary: 2,
  server: 1.5,
  description: 1,
  parameters: 0.8,
  parameterDescriptions: 0.4,
};
const fields = Object.keys(boost) as (keyof ToolText)[];
/** Tools beyond these are not searched. */
const maxTools = 10_000;

/** The words of many tools, ready to be searched. */
export class ToolIndex {
  readonly #tools: readonly ToolSchema[];
  readonly #index: MiniSearch<ToolText & { id: number }>;
  /** In how many tools a term stands. */
  readonly #frequencies = new Map<string, number>();

  constructor(tools: readonly ToolSchema[]) {
    this.#tools = tools.slice(0, maxTools);
    this.#index = new MiniSearch({ fields, tokenize: indexedTerms, processTerm: (term) => term });
    for (const [id, tool] of this.#tools.entries()) {
      const text = toolText(tool);
      this.#index.add({ id, ...text });
      for (const term of new Set(fields.flatMap((field) => indexedTerms(text[field])))) {
        this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1);
      }
    }
  }

  /** All tools that any word of the query is found in, best first, by name where they are equal. */
  search(query: string): ToolMatch[] {
    const terms = searchTermsOf(query);
    const matches = this.#match(terms, (term) => !this.#frequencies.has(term));
    return matches.length > 0 ? matches : this.#match(this.#containing(terms), () => true);
  }

  /** Words that the index does not have are taken for typing errors, or for the beginning of another. */
  #match(terms: SearchTerm[], isUncertain: (term: string) => boolean): ToolMatch[] {
    if (terms.length === 0) return [];
    const byTerm = new Map(terms.map((each) => [each.term, each]));
    const found = this.#index.search(terms.map(({ term }) => term).join(' '), {
      tokenize: (text) => text.split(' '),
      boost,
      boostTerm: (term) => byTerm.get(term)?.weight ?? 1,
      prefix: (term) => !isConcept(term) && term.length >= (isUncertain(term) ? 2 : 4),
      fuzzy: (term) => !isConcept(term) && isUncertain(term) && typingErrors(term),
      weights: { prefix: 0.3, fuzzy: 0.3 },
    });
    const coverage = this.#coverageBy(byTerm);
    return found
      .map(({ id, score, queryTerms }) => ({
        tool: this.#tools[id as number] as ToolSchema,
        // MiniSearch multiplies by the number of terms found; here, how much each tells decides.
        score: (score / (queryTerms.length || 1)) * (0.5 + coverage(queryTerms)),
      }))
      .sort((a, b) => b.score - a.score || compare(a.tool.name, b.tool.name));
  }

  /** How much of the query is found with some of its terms, 0 to 1; rare words tell more. */
  #coverageBy(terms: ReadonlyMap<string, SearchTerm>): (found: readonly string[]) => number {
    const rarity = new Map<number, number>();
    for (const { term, word } of terms.values()) {
      if (!isConcept(term) || !rarity.has(word)) rarity.set(word, this.#rarityOf(term));
    }
    const total = [...rarity.values()].reduce((sum, each) => sum + each, 0);
    return (found) => {
      const covered = new Map<number, number>();
      for (const each of found) {
        const { word, weight } = terms.get(each) ?? { word: -1, weight: 0 };
        covered.set(word, Math.max(covered.get(word) ?? 0, weight));
      }
      let sum = 0;
      for (const [word, weight] of covered) sum += weight * (rarity.get(word) ?? 0);
      return sum / total;
    };
  }

  #rarityOf(term: string): number {
    return Math.log(1 + this.#tools.length / (1 + (this.#frequencies.get(term) ?? 0)));
  }

  /** Where nothing else was found: the words that have one of the query's somewhere inside. */
  #containing(terms: readonly SearchTerm[]): SearchTerm[] {
    const parts = terms.filter(({ term }) => !isConcept(term) && term.length >= 3);
    const wider = [...this.#frequencies.keys()].flatMap((indexed) => {
      const part = parts.find(({ term }) => indexed.includes(term));
      return part && !isConcept(indexed) ? [{ ...part, term: indexed }] : [];
    });
    return [...terms, ...wider.slice(0, 100)];
  }
}

/** The terms that are kept of a text: words and, for those that have some, their concepts. */
function indexedTerms(text: string): string[] {
  return termsOf(text).flatMap(({ stem, concepts, isStopWord }) => (isStopWord ? [] : [stem, ...concepts]));
}

/** How many typing errors a word may have. */
function typingErrors(term: string): number {
  if (term.length < 4) return 0;
  return term.length < 8 ? 1 : 2;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
