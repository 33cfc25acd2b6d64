import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { createProgress } from './progress.js';

describe('createProgress', () => {
  let sent: [number, string][];
  const start = () => createProgress((progress, message) => sent.push([progress, message]));
  beforeEach(() => {
    jest.useFakeTimers();
    sent = [];
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('sends the first message at once, and then the latest one of each second', () => {
    const progress = start();
    progress.report('a');
    progress.report('b');
    progress.report('c');
    expect(sent).toEqual([[1, 'a']]);
    jest.advanceTimersByTime(999);
    expect(sent).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(sent).toEqual([
      [1, 'a'],
      [2, 'c'],
    ]);
  });

  test('sends no control characters of terminals', () => {
    start().report('\u001b[2J\u009b1m over\u202ewritten');
    expect(sent).toEqual([[1, '�[2J�1m over�written']]);
  });

  test('sends nothing twice, and the next message at once after a silent second', () => {
    const progress = start();
    progress.report('a');
    jest.advanceTimersByTime(5000);
    expect(sent).toHaveLength(1);
    progress.report('b');
    expect(sent).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  test('never sends more than one message in a second', () => {
    const progress = start();
    for (let i = 0; i < 100; i++) {
      progress.report(`line ${i}`);
      jest.advanceTimersByTime(100);
    }
    expect(sent.map(([count]) => count)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].slice(0, sent.length));
    expect(sent.length).toBeGreaterThanOrEqual(10);
    expect(sent.length).toBeLessThanOrEqual(11);
  });

  test('says every ten silent seconds how long it has been going on', () => {
    const progress = start();
    jest.advanceTimersByTime(9999);
    expect(sent).toEqual([]);
    jest.advanceTimersByTime(1);
    progress.report('a');
    jest.advanceTimersByTime(20_000);
    expect(sent).toEqual([
      [1, 'running for 10 s'],
      [2, 'a'],
      [3, 'running for 20 s'],
      [4, 'running for 30 s'],
    ]);
  });

  test('sends nothing after its end', () => {
    const progress = start();
    progress.report('a');
    progress.report('b');
    progress.end();
    progress.report('c');
    jest.advanceTimersByTime(5000);
    expect(sent).toEqual([[1, 'a']]);
    expect(jest.getTimerCount()).toBe(0);
    const unused = start();
    unused.end();
    unused.report('d');
    expect(sent).toHaveLength(1);
  });
});
