import { CodeExecutorError, matchesGlob } from '@code-executor/contracts';

import { quoteName, quoteValue } from '../quote.js';
import { serverOf } from '../names/tool-names.js';

/** Longest tool name that is considered, and longest pattern of a caller, in characters. */
export const maxNameChars = 256;
/** Most entries of a caller's `allowedTools`. */
const maxEntries = 1000;
/** Most entries of it with `*`, because each is tried on each call. */
const maxGlobs = 100;

/**
 * A list of tools, as allowlists, ceilings and server rules have: names, patterns with `*`, and names of servers, which
 * stand for all of their tools. An entry that does not begin with `mcp__` and has no `*` is a server.
 */
export class NamePatterns {
  readonly #entries: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #servers: ReadonlySet<string>;
  readonly #globs: readonly string[];

  constructor(entries: readonly string[]) {
    this.#entries = [...entries];
    const names = entries.filter((entry) => !entry.includes('*'));
    this.#exact = new Set(names.filter((name) => name.startsWith('mcp__')));
    this.#servers = new Set(names.filter((name) => !name.startsWith('mcp__')));
    this.#globs = entries.filter((entry) => entry.includes('*'));
  }

  /**
   * Whether the tool is one of these; without its server, whether that is certain. Names are compared exactly: without
   * trimming, case folding or Unicode normalization.
   */
  matches(name: string, server: string | undefined): boolean {
    return (
      this.#exact.has(name) ||
      (server !== undefined && this.#servers.has(server)) ||
      this.#globs.some((glob) => matchesGlob(glob, name))
    );
  }

  /** Whether a tool of that name can be one of these, whichever server has it. */
  mayMatch(name: string): boolean {
    return this.matches(name, undefined) || serverOf(name, this.#servers) !== undefined;
  }

  /** The entries that name one tool each. */
  get names(): string[] {
    return [...this.#exact];
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The first entries as a message shows them. */
  toString(): string {
    const shown = this.#entries.slice(0, 10).map(quoteName);
    const more = this.#entries.length - shown.length;
    return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
}

/** The entries of a server's rules, all as patterns of full names. */
export function fullNames(server: string, entries: readonly string[]): string[] {
  return entries.map((entry) => (entry.startsWith('mcp__') ? entry : `mcp__${server}__${entry}`));
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
