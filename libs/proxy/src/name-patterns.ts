import { CodeExecutorError } from '@code-executor/contracts';

import { matchesGlob } from './glob.js';
import { quoteName, quoteValue } from './quote.js';

/** Longest tool name that is looked at, and longest pattern of a caller, in characters. */
export const maxNameChars = 256;
/** Most entries of a caller's `allowedTools`. */
const maxEntries = 1000;
/** Most entries of it with `*`: each is tried on each call. */
const maxGlobs = 100;

/** A list of tool names, exact or with `*`, as allowlists, ceilings and server rules have. */
export class NamePatterns {
  readonly #entries: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #globs: readonly string[];

  constructor(entries: readonly string[]) {
    this.#entries = [...entries];
    this.#exact = new Set(entries.filter((entry) => !entry.includes('*')));
    this.#globs = entries.filter((entry) => entry.includes('*'));
  }

  /** Exact: no trimming, no case folding, no Unicode normalisation. */
  matches(name: string): boolean {
    return this.#exact.has(name) || this.#globs.some((glob) => matchesGlob(glob, name));
  }

  /** The entries that name one tool each. */
  get names(): string[] {
    return [...this.#exact];
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The first entries, for a message. */
  toString(): string {
    const shown = this.#entries.slice(0, 10).map(quoteName);
    const more = this.#entries.length - shown.length;
    return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
}

/** Refuses a caller's `allowedTools` that is malformed or too large, with `invalid_argument`. */
export function checkAllowedTools(entries: readonly unknown[]): void {
  const refuse = (problem: string) => {
    throw new CodeExecutorError('invalid_argument', `allowedTools ${problem}.`);
  };
  if (!Array.isArray(entries)) refuse(`must be a list of tool names, not ${quoteValue(entries)}`);
  if (entries.length > maxEntries) {
    refuse(`has ${entries.length} entries; shorten it to ${maxEntries}, or use patterns like mcp__server__*`);
  }
  let globs = 0;
  for (const entry of entries) {
    if (typeof entry !== 'string') {
      refuse(`must hold tool names, not ${quoteValue(entry)}`);
    } else if (entry.length > maxNameChars) {
      refuse(`has an entry of ${entry.length} characters; no tool name is longer than ${maxNameChars}`);
    } else if (entry.includes('*') && ++globs > maxGlobs) {
      refuse(`has more than ${maxGlobs} patterns with *; name the tools or use fewer, wider patterns`);
    }
  }
}
