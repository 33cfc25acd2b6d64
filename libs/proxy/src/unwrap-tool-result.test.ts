import { describe, expect, test } from '@jest/globals';

import { unwrapToolResult } from './unwrap-tool-result.js';

const text = (...texts: string[]) => ({ content: texts.map((t) => ({ type: 'text', text: t })) });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

describe('unwrapToolResult', () => {
  test('prefers structured content, whatever the text says', () => {
    expect(unwrapToolResult({ ...text('other'), structuredContent: { a: 1 } })).toEqual({ a: 1 });
  });

  test.each([
    ['{"a":[1,2]}', { a: [1, 2] }],
    ['[]', []],
    ['42', 42],
    ['true', true],
    ['null', null],
    ['"quoted"', 'quoted'],
    [' 7 ', 7],
  ])('parses the JSON text %j', (input, value) => {
    expect(unwrapToolResult(text(input))).toEqual(value);
  });

  test.each(['hello', '', '{broken', '12345678901234567890', '1.10', '1e5'])(
    'keeps the text %j, which is no JSON or would change',
    (input) => {
      expect(unwrapToolResult(text(input))).toBe(input);
    },
  );

  test.each([
    ['deep', '['.repeat(201) + ']'.repeat(201)],
    ['expensive', `[${'{},'.repeat(500_000)}1]`],
  ])('keeps a text that is too %s to be parsed', (_what, input) => {
    expect(unwrapToolResult(text(input))).toBe(input);
  });

  test('joins several texts, and parses what they make together', () => {
    expect(unwrapToolResult(text('one', 'two'))).toBe('one\ntwo');
    expect(unwrapToolResult(text('{"a":', '1}'))).toEqual({ a: 1 });
  });

  test('keeps the blocks when one of them is not text, or there are none', () => {
    const mixed = { content: [{ type: 'text', text: 'see' }, image] };
    expect(unwrapToolResult(mixed)).toEqual(mixed.content);
    expect(unwrapToolResult({ content: [] })).toEqual([]);
  });
});
