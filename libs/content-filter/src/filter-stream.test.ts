import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { createContentFilter } from './index.js';
import { negatives, positives } from './labelled-texts.test.support.js';

const filter = createContentFilter();
const texts = [...positives.map(({ before, found, after }) => before + found + after), ...negatives];

/** What a stream makes of a text in these parts. */
function streamed(parts: readonly string[]): { filtered: string; violations: unknown } {
  const stream = filter.stream();
  const filtered = parts.map((part) => stream.push(part)).join('') + stream.flush();
  return { filtered, violations: stream.violations };
}

describe('a stream', () => {
  test.each(texts)('treats %j as the whole, divided anywhere and into single characters', (text) => {
    const whole = filter.scan(text);
    for (let at = 0; at <= text.length; at++) {
      expect(streamed([text.slice(0, at), text.slice(at)])).toEqual(whole);
    }
    expect(streamed(text.split(''))).toEqual(whole);
  });

  test('finds the same as in the whole text, however it is divided', () => {
    const piece = fc.oneof(
      fc.constantFrom(...texts),
      fc.constantFrom(...texts).chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
      fc.constantFrom('sk-', 'eyJ', '://', '@', '.', '\\n', '%3D', '-----', '4111', ' ', '"', 'Bearer '),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        text,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
        (whole, sizes) => {
          const parts: string[] = [];
          for (let at = 0, turn = 0; at < whole.length; turn++) {
            const size = sizes[turn % sizes.length] ?? 1;
            parts.push(whole.slice(at, at + size));
            at += size;
          }
          expect(streamed(parts)).toEqual(filter.scan(whole));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('passes on everything but the last word at once', () => {
    const stream = filter.stream();
    expect([stream.push('Hello, wor'), stream.push('ld. '), stream.flush()]).toEqual([
      'Hello, ',
      'world. ',
      '',
    ]);
  });

  test.each(['a', 'a.', 'eyJ', 'eyJabcdefghijk', 'sk-', '://a:', '-----BEGIN ', '4111 ', 'a@b.', 'Bearer '])(
    'holds back at most 4,096 characters of %j',
    (bait) => {
      const stream = filter.stream();
      let held = 0;
      for (let sent = 0; sent < 20_000; sent += bait.length) {
        held += bait.length - stream.push(bait).length;
        expect(held).toBeLessThanOrEqual(4096);
      }
    },
  );

  test('passes on the replacement of a token before its end, and drops the rest', () => {
    const key = positives.find(({ pattern }) => pattern === 'openai_key')?.found ?? '';
    const stream = filter.stream();
    const passed = [
      stream.push(`${key}${'a1'.repeat(100)}`),
      stream.push('b'.repeat(100_000)),
      stream.push(' end. '),
    ];
    expect(passed).toEqual(['[REDACTED_SECRET]', '', ' end. ']);
  });
});
