import { describe, expect, test } from '@jest/globals';

import { within } from './within.js';

const never = new Promise<never>(() => {});

describe('within', () => {
  test('resolves with what the work resolves with', async () => {
    expect(await within(60_000, Promise.resolve('done'))).toBe('done');
  });

  test('resolves with undefined when the time is over', async () => {
    expect(await within(1, never)).toBeUndefined();
  });

  test('resolves with undefined when the signal fires, or has fired before', async () => {
    const stop = new AbortController();
    const waiting = within(60_000, never, stop.signal);
    stop.abort();
    expect(await waiting).toBeUndefined();
    expect(await within(60_000, never, stop.signal)).toBeUndefined();
  });

  test('rejects as the work does', async () => {
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  test('ignores a rejection that comes too late', async () => {
    let fail = (_: Error): void => {};
    const work = new Promise<never>((_, reject) => (fail = reject));
    expect(await within(1, work)).toBeUndefined();
    fail(new Error('too late'));
    await expect(work).rejects.toThrow('too late');
  });
});
