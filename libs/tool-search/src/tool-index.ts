import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ToolSchema } from '@code-executor/contracts';
import SearchableMap from 'minisearch/SearchableMap';

import { Postings } from './postings.js';
import { type QueryWord, queryWordsOf } from './query-words.js';
import { type Finding, rankFindings } from './rank-findings.js';
import { type Term, termsOf, wholeName, wholeTermOf } from './terms.js';
import { maxNameChars, type ToolText, toolText } from './tool-text.js';

/** A tool that answers a query, with a score that can only be compared within one search. */
export interface ToolMatch {
  tool: ToolSchema;
  score: number;
}

/**
 * The weight of a word in each field, and how many words are usual there, because among more words each says less.
 * These figures, and those below, were chosen on the queries of fixtures/search-tuning.json, not on those that measure
 * them (docs/performance.md).
 */
const fields: Record<keyof ToolText, { boost: number; usualWords: number }> = {
  name: { boost: 4, usualWords: 4 },
  title: { boost: 3, usualWords: 4 },
  summary: { boost: 2, usualWords: 10 },
  server: { boost: 1.5, usualWords: 2 },
  description: { boost: 1, usualWords: 40 },
  parameters: { boost: 0.8, usualWords: 8 },
  parameterDescriptions: { boost: 0.4, usualWords: 40 },
};
const nameFields: ReadonlySet<keyof ToolText> = new Set(['name', 'server']);
const fieldNames = Object.keys(fields) as (keyof ToolText)[];
/** How much the length of a field counts, 0 to 1: `b` of BM25. */
const lengthShare = 0.5;
/** Tools beyond these are not searched. */
const maxTools = 10_000;
/** How many words of the index one word of a query may match by its beginning, or misspelt. */
const maxSimilar = 100;
/** How many different words outside names are kept: this many for each server, or more if there are few servers. */
const keptWords = { ofServer: 20_000, ofAll: 200_000 };
/** How many words of the index are compared with misspelt ones: this many for each server, or more if there are few. */
const similarWords = { ofServer: 3_000, ofAll: 30_000 };
/** How many words of a query are compared so, because each is compared with all of these. */
const maxMisspelt = 8;
/** The weight of inexact matches; that of an exact one is 1. */
const weights = { joined: 0.8, concept: 0.6, similar: 0.3, similarToUnknown: 0.6 };
/** Milliseconds for which an index is made before other work has a turn. */
const maxTurnMs = 20;

/** The words of many tools, ready to be searched: BM25 over weighted fields. */
export class ToolIndex {
  /** In the order of their names. */
  readonly #tools: ToolSchema[];
  readonly #words = new Map<string, Postings>();
  /** The words that may also be found by similar ones. */
  readonly #similarWords = new SearchableMap<Postings>();
  readonly #concepts = new Map<string, Postings>();
  /** The tools of each server, by its whole name. */
  readonly #servers = new Map<string, Set<number>>();

  private constructor(tools: readonly ToolSchema[]) {
    this.#tools = tools.slice(0, maxTools).sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  }

  /** Takes a while if tools have long texts, and lets other work have its turn meanwhile. */
  static async of(tools: readonly ToolSchema[]): Promise<ToolIndex> {
    const index = new ToolIndex(tools);
    await index.#read();
    return index;
  }

  async #read(): Promise<void> {
    const servers = new Set(this.#tools.map(({ server }) => server));
    const kept = new Shares(keptWords, servers);
    const similar = new Set<string>();
    const similarLeft = new Shares(similarWords, servers);
    let since = performance.now();
    for (const [number, tool] of this.#tools.entries()) {
      if (performance.now() - since >= maxTurnMs) {
        await nextTurn();
        since = performance.now();
      }
      const texts = toolText(tool);
      const ofServer = this.#servers.get(wholeName(texts.server));
      if (ofServer) ofServer.add(number);
      else this.#servers.set(wholeName(texts.server), new Set([number]));
      for (const field of fieldNames) {
        const isName = nameFields.has(field);
        const terms = termsOf(texts[field]);
        const { boost, usualWords } = fields[field];
        const weight = boost / (1 - lengthShare + (lengthShare * terms.length) / usualWords);
        for (const { stem, concepts, isStopWord } of isName ? withWhole(terms, texts[field]) : terms) {
          // A tool may be called `up`.
          if (isStopWord && !isName) continue;
          for (const concept of concepts) postingsOf(this.#concepts, concept).add(number, weight);
          if (!this.#words.has(stem) && !isName && !kept.take(tool.server)) continue;
          const postings = postingsOf(this.#words, stem);
          postings.add(number, weight);
          if (similar.has(stem) || !similarLeft.take(tool.server)) continue;
          similar.add(stem);
          this.#similarWords.set(stem, postings);
        }
      }
    }
  }

  /**
   * All tools in which any word of the query is found, best first, equal ones by name. If the query is the name of a
   * server, its tools come before all others.
   */
  search(query: string): ToolMatch[] {
    const words = queryWordsOf(query);
    const unknown = words
      .filter(({ stem, isStopWord }) => !isStopWord && !this.#words.has(stem))
      .slice(0, maxMisspelt);
    const first = this.#servers.get(wholeName(query.slice(0, maxNameChars)));
    const matches = this.#rank(
      words.map((word) => this.#findings(word, unknown.includes(word))),
      first,
    );
    return matches.length > 0 ? matches : this.#rank(unknown.map((word) => this.#remote(word)));
  }

  #rank(findings: Finding[][], first?: ReadonlySet<number>): ToolMatch[] {
    const ranked = rankFindings(this.#tools.length, findings);
    const best = ranked[0]?.score ?? 0;
    const raised = first
      ? ranked
          .map(({ number, score }) => ({ number, score: first.has(number) ? score + best : score }))
          .sort((a, b) => b.score - a.score || a.number - b.number)
      : ranked;
    return raised.flatMap(({ number, score }) => {
      const tool = this.#tools[number];
      return tool ? [{ tool, score }] : [];
    });
  }

  #findings({ stem, concepts, joined, isStopWord }: QueryWord, maybeMisspelt: boolean): Finding[] {
    const findings: Finding[] = [];
    const add = (postings: Postings | undefined, weight: number): void => {
      if (postings) findings.push({ postings, weight });
    };
    if (!isStopWord) {
      add(this.#words.get(stem), 1);
      if (joined !== undefined) add(this.#words.get(joined), weights.joined);
      findings.push(...this.#similar(stem, maybeMisspelt));
    }
    for (const concept of concepts) add(this.#concepts.get(concept), weights.concept);
    return findings;
  }

  /** Words that begin with this one and, if the index does not have it, words of which it may be a misspelling. */
  #similar(stem: string, maybeMisspelt: boolean): Finding[] {
    const isKnown = this.#words.has(stem);
    const weight = isKnown ? weights.similar : weights.similarToUnknown;
    const near: { postings: Postings; distance: number }[] = [];
    if (stem.length >= (isKnown ? 4 : 2)) {
      for (const [word, postings] of this.#similarWords.atPrefix(stem)) {
        if (word !== stem) near.push({ postings, distance: 0.3 * (word.length - stem.length) });
      }
    }
    if (maybeMisspelt) {
      const corrected = this.#similarWords.fuzzyGet(stem, possibleErrors(stem));
      for (const [postings, distance] of corrected.values()) near.push({ postings, distance });
      for (const swapped of swaps(stem)) {
        const postings = this.#words.get(swapped);
        if (postings) near.push({ postings, distance: 1 });
      }
    }
    return near
      .sort((a, b) => a.distance - b.distance)
      .slice(0, maxSimilar)
      .map(({ postings, distance }) => ({
        postings,
        weight: (weight * stem.length) / (stem.length + distance),
      }));
  }

  /** For a query that finds nothing else: words that contain this one, or look a little like it. */
  #remote({ stem }: QueryWord): Finding[] {
    if (stem.length < 2) return [];
    const containing = [...this.#similarWords]
      .filter(([word]) => word.includes(stem))
      .map(([, postings]) => postings);
    const alike = [...this.#similarWords.fuzzyGet(stem, Math.min(4, Math.floor(stem.length / 3))).values()];
    return [
      ...containing.map((postings) => ({ postings, weight: weights.similar })),
      ...alike.map(([postings, distance]) => ({ postings, weight: weights.similar / (1 + distance) })),
    ].slice(0, maxSimilar);
  }
}

/** The words of a name, and all of it as one: `weirdname` finds `Weird.Name-x_Y`. */
function withWhole(terms: readonly Term[], name: string): readonly Term[] {
  const whole = wholeTermOf(name);
  return terms.some(({ stem }) => stem === whole.stem) ? terms : [...terms, whole];
}

/** The word with two neighbouring letters swapped, at each place. */
function swaps(word: string): string[] {
  return Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => {
    return `${word.slice(0, at)}${word.charAt(at + 1)}${word.charAt(at)}${word.slice(at + 2)}`;
  });
}

/** How many typing errors a word may have. */
function possibleErrors(word: string): number {
  if (word.length < 4) return 0;
  return word.length < 8 ? 1 : 2;
}

function postingsOf(index: Map<string, Postings>, term: string): Postings {
  let postings = index.get(term);
  if (!postings) index.set(term, (postings = new Postings()));
  return postings;
}

/** Room for words. A server that uses ever new ones takes no room from the others. */
class Shares {
  readonly #left: Map<string, number>;

  constructor({ ofServer, ofAll }: { ofServer: number; ofAll: number }, servers: ReadonlySet<string>) {
    const share = Math.max(ofServer, Math.floor(ofAll / Math.max(1, servers.size)));
    this.#left = new Map([...servers].map((server) => [server, share]));
  }

  /** False if the server has no room left. */
  take(server: string): boolean {
    const left = this.#left.get(server) ?? 0;
    this.#left.set(server, left - 1);
    return left > 0;
  }
}
