import type { PatternTable } from './pattern-table.js';
import { Scan } from './scan.js';
import { type Violation, ViolationCounts } from './violations.js';

/**
 * Filters one text that arrives in parts. Joined, what it returns is what `filter` returns for the whole text, however
 * the text is divided. It holds back the end of a part while that may be the beginning of a match: usually the last
 * word, and at most 4,096 characters.
 */
export class FilterStream {
  readonly #counts = new ViolationCounts();
  readonly #scan: Scan;

  /** @internal Use `createContentFilter().stream()`. */
  constructor(table: PatternTable) {
    this.#scan = new Scan(table, (pattern) => this.#counts.add(pattern));
  }

  /** Adds a part, and returns what is safe to pass on: possibly nothing. */
  push(chunk: string): string {
    return this.#scan.push(chunk, false);
  }

  /** Ends the text, and returns what was held back. */
  flush(): string {
    return this.#scan.push('', true);
  }

  /** What was found so far. */
  get violations(): Violation[] {
    return this.#counts.list();
  }
}
