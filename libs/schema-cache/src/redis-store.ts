import { type Logger, untilAborted } from '@code-executor/contracts';
import type KeyvRedis from '@keyv/redis';

import { type Entry, isEntry, isFresh, toJson, type Wrapped } from './entry.js';
import { MemoryStore } from './memory-store.js';

const namespace = 'code-executor:tools';
/** Longest wait for one answer. */
const answerMs = 1000;
/** After a failure Redis is left alone for this long; the entries in memory answer. */
const pauseMs = 30_000;
const maxEntryChars = 32 * 1024 * 1024;

export interface RedisStoreOptions {
  /** It may hold a password, so it is never logged. */
  url: string;
  maxEntries: number;
  ttlMs: number;
  now: () => number;
  logger: Logger;
}

/** Entries in Redis, which several servers share; those in use are in memory, too, and are read again when they are stale. */
export class RedisStore extends MemoryStore {
  readonly #options: RedisStoreOptions;
  #adapter: Promise<KeyvRedis<string>> | undefined;
  #retryAt = 0;
  #reason: unknown;
  #hasWarned = false;

  constructor(options: RedisStoreOptions) {
    super(options.maxEntries);
    this.#options = options;
  }

  override async get(key: string): Promise<Wrapped | undefined> {
    const { now, ttlMs } = this.#options;
    const known = await super.get(key);
    if (known && isFresh(known.value, now(), ttlMs)) return known;
    const stored = fromJson(await this.#ask((redis) => redis.get<string>(key)));
    if (!stored || (known && known.value.storedAt >= stored.storedAt)) return known;
    await super.set(key, { value: stored });
    return { value: stored };
  }

  override async set(key: string, wrapped: Wrapped): Promise<void> {
    const before = await super.all();
    await super.set(key, wrapped);
    const after = new Set((await super.all()).map(([name]) => name));
    const json = toJson(wrapped.value);
    if (json !== undefined) await this.#ask((redis) => redis.set(key, json));
    for (const [name] of before) if (!after.has(name)) await this.#ask((redis) => redis.delete(name));
  }

  override async delete(key: string): Promise<boolean> {
    const wasKnown = await super.delete(key);
    return (await this.#ask((redis) => redis.delete(key))) ?? wasKnown;
  }

  override async clear(): Promise<void> {
    await super.clear();
    // Clearing does not reject if it fails; the connection does.
    await this.#ask((redis) => redis.getClient().then(() => redis.clear()));
  }

  override async all(): Promise<[key: string, entry: Entry][]> {
    const stored = await this.#ask(async (redis) => {
      const found: [string, Entry][] = [];
      for await (const [key, json] of redis.iterator<string>(namespace)) {
        const entry = fromJson(json);
        if (entry) found.push([key, entry]);
        if (found.length >= this.maxEntries) break;
      }
      return found;
    });
    return stored ?? super.all();
  }

  override async close(): Promise<void> {
    if (!this.#adapter) return;
    const adapter = await this.#adapter;
    await untilAborted(adapter.disconnect(), AbortSignal.timeout(answerMs)).catch(() =>
      adapter.disconnect(true),
    );
  }

  /** Undefined if Redis does not answer in time. */
  async #ask<T>(question: (redis: KeyvRedis<string>) => Promise<T>): Promise<T | undefined> {
    const { now, logger } = this.#options;
    if (now() < this.#retryAt) return undefined;
    try {
      // Loading the client may take long on a slow machine, which says nothing about Redis.
      const redis = await this.#open();
      const answer = await untilAborted(question(redis), AbortSignal.timeout(answerMs));
      this.#hasWarned = false;
      return answer;
    } catch (error) {
      this.#retryAt = now() + pauseMs;
      if (!this.#hasWarned) {
        const { code, name } = (this.#reason ?? error) as NodeJS.ErrnoException;
        logger.warn({ reason: code ?? name }, 'Redis does not answer; tool lists are kept in memory only.');
      }
      this.#hasWarned = true;
      return undefined;
    }
  }

  #open(): Promise<KeyvRedis<string>> {
    return (this.#adapter ??= import('@keyv/redis').then(({ default: KeyvRedis }) => {
      const { url } = this.#options;
      const socket = { connectTimeout: answerMs, reconnectStrategy: false as const };
      const adapter = new KeyvRedis<string>(
        { url, socket },
        { namespace, throwOnErrors: true, throwOnConnectError: true },
      );
      adapter.on('error', (reason: unknown) => (this.#reason = reason));
      return adapter;
    }));
  }
}

function fromJson(json: string | undefined): Entry | undefined {
  if (json === undefined || json.length > maxEntryChars) return undefined;
  try {
    const data: unknown = JSON.parse(json);
    return isEntry(data) ? data : undefined;
  } catch {
    return undefined;
  }
}
