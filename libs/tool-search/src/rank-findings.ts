import type { Postings } from './postings.js';

/** A term of the index that a word of the query stands for. */
export interface Finding {
  postings: Postings;
  /** How likely it is meant, up to 1. */
  weight: number;
}

/** A tool by its number. */
export interface RankedNumber {
  number: number;
  score: number;
}

/** How soon more of the same word stops counting: `k1` of BM25, in the unit of the field weights. */
const saturation = 3;

/**
 * Ranks tools by what was found for each word of a query, the most likely first. The best finding of each word counts,
 * by BM25. A tool that has a larger share of the query counts more, and rare words are a larger share. Equal tools stay
 * in the order of their numbers.
 */
export function rankFindings(toolCount: number, words: readonly (readonly Finding[])[]): RankedNumber[] {
  const scores = new Float64Array(toolCount);
  const shares = new Float64Array(toolCount);
  const best = new Float64Array(toolCount);
  const sureness = new Float64Array(toolCount);
  const found: number[] = [];
  let whole = 0;
  for (const findings of words) {
    const [surest] = findings;
    if (!surest) continue;
    const inWord: number[] = [];
    for (const { postings, weight } of findings) {
      const factor = weight * rarityOf(postings, toolCount) * (saturation + 1);
      for (let index = 0; index < postings.tools.length; index++) {
        const number = postings.tools[index] ?? 0;
        const frequency = postings.weights[index] ?? 0;
        const score = (factor * frequency) / (frequency + saturation);
        if (score <= (best[number] ?? 0)) continue;
        if (best[number] === 0) inWord.push(number);
        best[number] = score;
        sureness[number] = weight;
      }
    }
    const rarity = rarityOf(surest.postings, toolCount);
    whole += rarity;
    for (const number of inWord) {
      if (scores[number] === 0) found.push(number);
      scores[number] = (scores[number] ?? 0) + (best[number] ?? 0);
      shares[number] = (shares[number] ?? 0) + rarity * (sureness[number] ?? 0);
      best[number] = 0;
    }
  }
  return found
    .map((number) => ({
      number,
      score: (scores[number] ?? 0) * (0.5 + (shares[number] ?? 0) / whole),
    }))
    .sort((a, b) => b.score - a.score || a.number - b.number);
}

/** How much a term says about a tool: the fewer tools have it, the more. It is never zero. */
function rarityOf({ tools }: Postings, toolCount: number): number {
  return Math.log(1 + (toolCount - tools.length + 0.5) / (tools.length + 0.5));
}
