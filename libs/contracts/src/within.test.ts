import { describe, expect, test } from '@jest/globals';

import { within } from './within.js';

const never = new Promise<string>(() => {});

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
    await expect(within(60_000, Promise.reject<string>(new Error('broken')))).rejects.toThrow('broken');
  });

  test('ignores a rejection that comes too late', async () => {
    const late = new AbortController();
    const work = new Promise<string>((_, reject) => {
      late.signal.addEventListener('abort', () => reject(new Error('too late')));
    });
    expect(await within(1, work)).toBeUndefined();
    late.abort();
    await expect(work).rejects.toThrow('too late');
  });
});
