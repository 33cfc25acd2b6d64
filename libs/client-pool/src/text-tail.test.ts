import { describe, expect, test } from '@jest/globals';

import { TextTail } from './text-tail.js';

describe('TextTail', () => {
  test('keeps the last bytes only, of many chunks and of a large one', () => {
    const tail = new TextTail(6);
    for (const chunk of ['abcdef', 'gh', '']) tail.push(Buffer.from(chunk));
    expect(tail.toString()).toBe('cdefgh');
    tail.push(Buffer.from('0123456789'));
    expect(tail.toString()).toBe('456789');
  });

  test('gives the last lines that are not empty', () => {
    const tail = new TextTail(100);
    tail.push(Buffer.from('one\n\ntwo\r\n  \nthree\n'));
    expect(tail.lines(2).map((line) => line.trim())).toEqual(['two', 'three']);
    expect(new TextTail(1).lines(3)).toEqual([]);
  });
});
