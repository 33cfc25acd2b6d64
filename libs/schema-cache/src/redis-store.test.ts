import { freePort, recordingLogger } from '@code-executor/contracts/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createClient } from '@keyv/redis';

import { type RedisServer, startRedis } from './redis-server.test.support.js';
import { SchemaCache, type SchemaCacheOptions } from './schema-cache.js';

const value = (data: unknown) => () => Promise.resolve(data);
const never = () => Promise.reject(new Error('not to be loaded'));
const silent = 'Redis does not answer; tool lists are kept in memory only.';

let logger: ReturnType<typeof recordingLogger>;
const caches: SchemaCache<unknown>[] = [];
const open = (options: SchemaCacheOptions) => {
  const cache = new SchemaCache<unknown>({ logger, ...options });
  caches.push(cache);
  return cache;
};
beforeEach(() => {
  logger = recordingLogger();
});
afterEach(async () => {
  for (const cache of caches.splice(0)) await cache.close();
});

describe('SchemaCache with a real Redis (needs redis-server)', () => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  test('shares entries between servers, whatever their names', async () => {
    const first = open({ store: redis.url });
    const names = ['a', '__proto__', 'x::y', 'code-executor:tools'];
    await Promise.all(names.map((key) => first.getOrLoad(key, value({ of: key }))));
    const second = open({ store: redis.url });
    for (const key of names) expect(await second.getOrLoad(key, never)).toEqual({ of: key });
    expect((await second.entries()).map(({ key }) => key)).toEqual([...names].sort());
    expect(await second.getOrLoad('a', never)).toBe(await second.getOrLoad('a', never));
    expect(logger.messages).toEqual([]);
  });

  test('reads what another server has refreshed before it loads again', async () => {
    const clock = { now: 1000 };
    const options = { store: redis.url, ttlMs: 100, now: () => clock.now };
    const [first, second] = [open(options), open(options)];
    await first.getOrLoad('a', value('old'));
    expect(await second.getOrLoad('a', never)).toBe('old');
    clock.now += 100;
    await first.getOrLoad('a', value('new'), () => 'unusable');
    expect(await second.getOrLoad('a', never)).toBe('new');
  });

  test('deletes, clears and drops entries for all servers, and touches nothing else', async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.set('somebody-else', 'stays');
    const cache = open({ store: redis.url, maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) await cache.getOrLoad(key, value(key));
    const keys = async () => (await client.keys('*')).sort();
    const prefix = 'code-executor:tools::';
    expect(await keys()).toEqual([`${prefix}b`, `${prefix}c`, 'somebody-else']);
    await cache.delete('b');
    expect(await keys()).toEqual([`${prefix}c`, 'somebody-else']);
    await cache.clear();
    expect(await keys()).toEqual(['somebody-else']);
    await client.close();
  });

  test('loads again if the stored value is not an entry', async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    const bad = ['', 'hello', 'null', '[]', '{"value":1}', '{"storedAt":1,"expiresAt":2}'];
    for (const [i, text] of bad.entries()) await client.set(`code-executor:tools::${i}`, text);
    await client.lPush('code-executor:tools::list', 'x');
    const cache = open({ store: redis.url });
    for (const i of bad.keys()) expect(await cache.getOrLoad(String(i), value('good'))).toBe('good');
    expect(logger.messages).toEqual([]);
    // Redis answers a key of another type with an error.
    expect(await cache.getOrLoad('list', value('good'))).toBe('good');
    expect(logger.messages).toEqual([silent]);
    await client.close();
  });

  test('works in memory while Redis is down or hangs, with one warning, and returns to it', async () => {
    const clock = { now: 1000 };
    const cache = open({ store: redis.url, now: () => clock.now });
    await cache.getOrLoad('a', value(1));
    redis.child.kill('SIGSTOP');
    expect(await cache.getOrLoad('b', value(2))).toBe(2);
    expect(await cache.getOrLoad('c', value(3))).toBe(3);
    expect(logger.messages).toEqual([silent]);
    await redis.close();
    clock.now += 30_000;
    expect(await cache.getOrLoad('d', value(4))).toBe(4);
    expect(await cache.getOrLoad('a', never)).toBe(1);
    expect(logger.messages).toEqual([silent]);
    redis = await startRedis(Number(new URL(redis.url).port));
    clock.now += 30_000;
    await cache.getOrLoad('e', value(5));
    expect(await open({ store: redis.url }).getOrLoad('e', never)).toBe(5);
  });
});

test('SchemaCache stays in memory if its Redis does not answer, with one warning that shows no secret', async () => {
  const store = `redis://:secret@127.0.0.1:${await freePort()}`;
  const cache = open({ store });
  const load = (key: string) => cache.getOrLoad(key, value(key));
  expect(await Promise.all(['a', 'b', 'c'].map(load))).toEqual(['a', 'b', 'c']);
  expect(await cache.getOrLoad('a', never)).toBe('a');
  await cache.clear();
  expect(await cache.entries()).toEqual([]);
  expect(logger.entries).toEqual([{ level: 'warn', fields: { reason: 'ECONNREFUSED' }, message: silent }]);
});
