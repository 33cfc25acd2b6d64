import { describe, expect, test } from '@jest/globals';

import { LineReader } from './line-reader.js';

const read = (maxBytes: number, ...chunks: (string | Buffer)[]) => {
  const lines: string[] = [];
  const reader = new LineReader(maxBytes, (line) => lines.push(line));
  const accepted = chunks.map((chunk) => reader.push(Buffer.from(chunk)));
  return { lines, accepted };
};

describe('LineReader', () => {
  test('puts lines together from any chunks, and leaves out empty ones', () => {
    expect(read(100, 'one\ntw', '', 'o\n\n \r\nthr', 'e', 'e\nrest').lines).toEqual(['one', 'two', 'three']);
  });

  test('keeps characters whole that were cut between chunks', () => {
    const bytes = Buffer.from('grüß 🎈\n');
    expect(read(100, ...Array.from(bytes, (byte) => Buffer.from([byte]))).lines).toEqual(['grüß 🎈']);
  });

  test('accepts a line of exactly the limit, again and again, and refuses one byte more', () => {
    expect(read(4, 'abcd\nabcd\nab', 'cd', '\n').accepted).toEqual([true, true, true]);
    expect(read(4, 'abcd\nab', 'cde')).toEqual({ lines: ['abcd'], accepted: [true, false] });
    expect(read(4, 'abcde\n')).toEqual({ lines: [], accepted: [false] });
  });
});
