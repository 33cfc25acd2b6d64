import { describe, expect, test } from '@jest/globals';

import { createContentFilter } from './index.js';
import { negatives, positives } from './labelled-texts.test.support.js';

const filter = createContentFilter();
const kinds = new Map(filter.getSupportedPatterns().map(({ pattern, kind }) => [pattern, kind]));
const replacements = { secret: '[REDACTED_SECRET]', personal: '[REDACTED_PII]' };

describe('the labelled texts', () => {
  test.each(positives)('finds $pattern in "$before…"', ({ pattern, before, found, after }) => {
    const kind = kinds.get(pattern) ?? 'secret';
    expect(filter.scan(before + found + after)).toEqual({
      violations: [{ kind, pattern, count: 1 }],
      filtered: before + replacements[kind] + after,
    });
  });

  test.each(negatives)('finds nothing in %j', (text) => {
    expect(filter.scan(text)).toEqual({ violations: [], filtered: text });
  });

  test('have one for each pattern, and enough of both sorts', () => {
    const labelled = new Set(positives.map(({ pattern }) => pattern));
    expect([...kinds.keys()].filter((name) => !labelled.has(name))).toEqual([]);
    expect(positives.length).toBeGreaterThanOrEqual(60);
    expect(negatives.length).toBeGreaterThanOrEqual(60);
  });

  test.each(['secret', 'personal'] as const)('have a precision and a recall of 1 for %s', (kind) => {
    const isFound = (text: string): boolean =>
      filter.scan(text).violations.some((each) => each.kind === kind);
    const labelled = positives.map(({ pattern, before, found, after }) => ({
      text: before + found + after,
      isPositive: kinds.get(pattern) === kind,
    }));
    const all = [...labelled, ...negatives.map((text) => ({ text, isPositive: false }))];
    const found = all.filter(({ text }) => isFound(text));
    const right = found.filter(({ isPositive }) => isPositive).length;
    const precision = right / found.length;
    const recall = right / all.filter(({ isPositive }) => isPositive).length;
    expect({ precision, recall }).toEqual({ precision: 1, recall: 1 });
  });
});
