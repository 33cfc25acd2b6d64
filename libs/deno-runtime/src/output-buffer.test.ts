import { describe, expect, test } from '@jest/globals';

import { OutputBuffer } from './output-buffer.js';

function collect(maxChars: number, pieces: string[]) {
  const buffer = new OutputBuffer(maxChars);
  for (const piece of pieces) buffer.push(piece);
  return { text: buffer.toString(), isTruncated: buffer.isTruncated };
}

describe('OutputBuffer', () => {
  test('keeps everything up to the limit', () => {
    expect(collect(10, ['01234', '56789'])).toEqual({ text: '0123456789', isTruncated: false });
    expect(collect(10, [])).toEqual({ text: '', isTruncated: false });
  });

  test.each([
    [['0123456789abcdefghij']],
    [['01', '23456789', 'abcdefghij']],
    [Array.from('0123456789abcdefghij')],
  ])('keeps the head and the tail of longer text, however it is split: %j', (pieces) => {
    expect(collect(10, pieces)).toEqual({
      text: '0123\n[... 10 characters left out ...]\nefghij',
      isTruncated: true,
    });
  });

  test('counts the characters that it left out of a large output', () => {
    const { text } = collect(
      100,
      Array.from({ length: 1000 }, () => 'x'.repeat(1000)),
    );
    expect(text).toContain('[... 999900 characters left out ...]');
    expect(text.length).toBeLessThan(150);
  });
});
