import { recordingLogger } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { SchemaCache, type SchemaCacheOptions } from './schema-cache.js';

/** A cache with a clock that the test sets. */
function open(options: SchemaCacheOptions = {}) {
  const logger = recordingLogger();
  const clock = { now: 1000 };
  const cache = new SchemaCache<unknown>({ ttlMs: 100, now: () => clock.now, logger, ...options });
  return { cache, clock, messages: logger.messages };
}

const value = (data: unknown) => () => Promise.resolve(data);
const never = () => Promise.reject(new Error('not to be loaded'));
/** Waits until background work has ended. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('SchemaCache', () => {
  test('loads once, and answers the same value until it is stale', async () => {
    const { cache, clock } = open();
    const tools = { tools: [1] };
    expect(await cache.getOrLoad('a', value(tools))).toBe(tools);
    clock.now += 99;
    expect(await cache.getOrLoad('a', never)).toBe(tools);
    expect(await cache.entries()).toEqual([{ key: 'a', bytes: 13, storedAt: 1000, expiresAt: 1100 }]);
  });

  test('answers a stale value at once and loads a new one in the background', async () => {
    const { cache, clock, messages } = open();
    await cache.getOrLoad('a', value('old'));
    clock.now += 100;
    let finish: (fresh: string) => void = () => {};
    const load = () => new Promise<unknown>((resolve) => (finish = resolve));
    expect(await cache.getOrLoad('a', load)).toBe('old');
    expect(await cache.getOrLoad('a', never)).toBe('old');
    finish('new');
    await settled();
    expect(await cache.getOrLoad('a', never)).toBe('new');
    expect(messages).toEqual([]);
  });

  test('keeps a stale value if it cannot be loaded again, and warns once', async () => {
    const { cache, clock, messages } = open();
    await cache.getOrLoad('a', value('old'));
    clock.now += 1_000_000;
    for (let times = 0; times < 3; times += 1) {
      expect(await cache.getOrLoad('a', never)).toBe('old');
      await settled();
    }
    expect(messages).toEqual(['A stale entry could not be refreshed; it stays in use.']);
    expect(await cache.getOrLoad('a', value('new'))).toBe('old');
    await settled();
    expect(await cache.getOrLoad('a', never)).toBe('new');
  });

  test('treats a value as stale if it claims to be fresh for longer than ttlMs', async () => {
    const { cache, clock } = open();
    await cache.getOrLoad('a', value('from the future'));
    clock.now -= 500;
    expect(await cache.getOrLoad('a', value('now'))).toBe('from the future');
    await settled();
    expect(await cache.getOrLoad('a', never)).toBe('now');
  });

  test('shares one load per key, and its failure, among all callers', async () => {
    const { cache } = open();
    let loads = 0;
    const load = (data: unknown) => async () => {
      loads += 1;
      await settled();
      return data;
    };
    const asked = [1, 2, 3].map(() => cache.getOrLoad('a', load('A')));
    expect(await Promise.all([...asked, cache.getOrLoad('b', load('B'))])).toEqual(['A', 'A', 'A', 'B']);
    expect(loads).toBe(2);
    const failing = [1, 2].map(() => cache.getOrLoad('c', never));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.getOrLoad('c', value('C'))).toBe('C');
  });

  test('lets the reader judge: a stale value is loaded in the background, an unusable one before the answer', async () => {
    const { cache } = open();
    await cache.getOrLoad('a', value(1));
    expect(await cache.getOrLoad('a', value(2), () => 'stale')).toBe(1);
    await settled();
    expect(await cache.getOrLoad('a', never)).toBe(2);
    await expect(cache.getOrLoad('a', never, () => 'unusable')).rejects.toThrow('not to be loaded');
    expect(await cache.getOrLoad('a', never)).toBe(2);
    expect(await cache.getOrLoad('a', value(3), () => 'unusable')).toBe(3);
    expect(await cache.getOrLoad('a', never)).toBe(3);
  });

  test('drops the least recently used entries', async () => {
    const { cache } = open({ maxEntries: 2 });
    for (const key of ['a', 'b']) await cache.getOrLoad(key, value(key));
    await cache.getOrLoad('a', never);
    await cache.getOrLoad('c', value('c'));
    expect((await cache.entries()).map(({ key }) => key)).toEqual(['a', 'c']);
  });

  test('deletes one entry or all, and accepts any name as a key', async () => {
    const { cache } = open();
    const names = ['__proto__', 'constructor', 'toString', 'keyv:a', ''];
    for (const key of names) expect(await cache.getOrLoad(key, value(`of ${key}`))).toBe(`of ${key}`);
    for (const key of names) expect(await cache.getOrLoad(key, never)).toBe(`of ${key}`);
    await cache.delete('__proto__');
    expect(await cache.entries()).toHaveLength(4);
    await cache.clear();
    expect(await cache.entries()).toEqual([]);
  });

  test('refuses a store that is not a Redis URL, without showing it', () => {
    expect(() => new SchemaCache({ store: 'postgres://me:secret@db' })).toThrow(
      'The store of the cache must be a URL that begins with redis:// or rediss://.',
    );
  });
});
