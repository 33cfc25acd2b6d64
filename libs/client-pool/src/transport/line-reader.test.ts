import { describe, expect, test } from '@jest/globals';

import { LineReader } from './line-reader.js';

const read = (...chunks: (string | Buffer)[]) => {
  const lines: string[] = [];
  const cut: string[] = [];
  const reader = new LineReader({
    onLine: (line) => lines.push(line),
    onCutLine: ({ head, tail }) => cut.push(`${head.slice(0, 10)}…${tail.slice(-10)}`),
  });
  const accepted = chunks.map((chunk) => reader.push(Buffer.from(chunk)));
  return { lines, cut, accepted };
};
const mebibyte = 1024 * 1024;

describe('LineReader', () => {
  test('joins lines from any chunks, and leaves out empty lines', () => {
    expect(read('one\ntw', '', 'o\n\n \r\nthr', 'e', 'e\nrest').lines).toEqual(['one', 'two', 'three']);
  });

  test('keeps characters whole that are split between chunks', () => {
    const bytes = Buffer.from('grüß 🎈\n');
    expect(read(...Array.from(bytes, (byte) => Buffer.from([byte]))).lines).toEqual(['grüß 🎈']);
  });

  test('returns a line of the maximum size whole, and the two ends of a larger one', () => {
    const text = 'x'.repeat(32 * mebibyte);
    const { lines, cut } = read(
      `${text}\n`,
      `begin${text.slice(9)}`,
      'end!\n',
      '"begin',
      `${text}end"\nnext\n`,
    );
    expect(lines.map((line) => line.length)).toEqual([text.length, text.length, 4]);
    expect(cut).toEqual(['"beginxxxx…xxxxxxend"']);
  });

  test('counts what a line costs once it is parsed', () => {
    const dense = `[${'{},'.repeat(500_000)}{}]`;
    const { lines, cut } = read(`${dense.slice(0, 900_000)}\n`, `${dense}\n`, `"${dense}"\n`);
    expect(lines.map((line) => line.length)).toEqual([900_000, dense.length + 2]);
    expect(cut).toEqual(['[{},{},{},…,{},{},{}]'.replace('…,', '…,')]);
  });

  test('cannot be used after a line without end', () => {
    const text = 'x'.repeat(32 * mebibyte);
    expect(read(text, text, 'x')).toEqual({ lines: [], cut: [], accepted: [true, true, false] });
  });
});
