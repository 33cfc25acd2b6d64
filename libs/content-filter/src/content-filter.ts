import { FilterStream } from './filter-stream.js';
import type { Pattern, ViolationKind } from './pattern.js';
import { PatternTable } from './pattern-table.js';
import { labelPatterns, patterns } from './patterns.js';
import { Scan } from './scan.js';
import { rejection, type Violation, ViolationCounts } from './violations.js';

export interface ContentFilterOptions {
  /** What is looked for. Default: both kinds. */
  kinds?: readonly ViolationKind[];
}

/** A pattern, as it is listed. */
export interface SupportedPattern {
  pattern: string;
  kind: ViolationKind;
  /** What it finds, in a few words. */
  finds: string;
}

export interface ScanResult {
  /** One entry for each pattern that was found. */
  violations: Violation[];
  /** The text with `[REDACTED_SECRET]` and `[REDACTED_PII]` instead of what was found. */
  filtered: string;
}

/** Finds secrets and personal data. It keeps nothing of the texts, and may be used for many of them at once. */
export interface ContentFilter {
  /** Finds and redacts. */
  scan(text: string): ScanResult;
  /**
   * The redacted text.
   *
   * @throws CodeExecutorError `permission_denied` with `rejectOnViolation` (default false) if there is anything to
   * redact. The message has kinds, names and counts, but nothing of the text.
   */
  filter(text: string, rejectOnViolation?: boolean): string;
  /** Whether there is anything to redact. */
  hasViolations(text: string): boolean;
  /** All patterns that this filter looks for, one entry for each name. */
  getSupportedPatterns(): SupportedPattern[];
  /** A filter for one text that arrives in parts. */
  stream(): FilterStream;
}

/** Creates a filter. Create it once: it takes a moment to prepare the patterns. */
export function createContentFilter(options: ContentFilterOptions = {}): ContentFilter {
  const kinds = options.kinds ?? ['secret', 'personal'];
  const isChosen = ({ kind }: Pattern): boolean => kinds.includes(kind);
  const chosen = [patterns.filter(isChosen), labelPatterns.filter(isChosen)] as const;
  const table = new PatternTable(...chosen);
  const scan = (text: string): ScanResult => {
    const counts = new ViolationCounts();
    const filtered = new Scan(table, (pattern) => counts.add(pattern)).push(text, true);
    return { violations: counts.list(), filtered };
  };
  return {
    scan,
    filter(text, rejectOnViolation = false) {
      const { violations, filtered } = scan(text);
      if (rejectOnViolation && violations.length > 0) throw rejection(violations);
      return filtered;
    },
    hasViolations: (text) => scan(text).violations.length > 0,
    getSupportedPatterns() {
      const listed = chosen
        .flat()
        .map(({ name, kind, finds }) => [name, { pattern: name, kind, finds }] as const);
      return [...new Map(listed).values()];
    },
    stream: () => new FilterStream(table),
  };
}
