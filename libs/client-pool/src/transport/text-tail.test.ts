import { describe, expect, test } from '@jest/globals';

import { TextTail } from './text-tail.js';

describe('TextTail', () => {
  test('keeps only the last bytes of many chunks or of a large one, and no half word', () => {
    const tail = new TextTail(8);
    for (const chunk of ['ab ', 'cd ', '']) tail.push(Buffer.from(chunk));
    expect(tail.toString()).toBe('ab cd ');
    tail.push(Buffer.from('efghi'));
    expect(tail.toString()).toBe('… efghi');
    tail.push(Buffer.from('0123456789 0123'));
    expect(tail.toString()).toBe('… 0123');
  });
});
