import { CodeExecutorError, type Logger, silentLogger } from '@code-executor/contracts';
import { Keyv } from 'keyv';

import { type Entry, isFresh, toJson } from './entry.js';
import { FileStore } from './file-store.js';
import { MemoryStore } from './memory-store.js';
import { RedisStore } from './redis-store.js';

export interface SchemaCacheOptions {
  /** The file in which entries outlive the process. It is created with the first entry, for its owner only. Default: memory only. */
  file?: string;
  /** `redis://…` or `rediss://…`: entries are kept there instead, and shared by several servers. */
  store?: string;
  /** How long an entry is fresh, in ms. A stale one is still answered, and loaded again in the background. Default 86,400,000, a day. */
  ttlMs?: number;
  /** Beyond this many, the least recently used entry goes. Default 1,000. */
  maxEntries?: number;
  /** The clock, in ms since 1970. Default `Date.now`. */
  now?: () => number;
  /** Default: no log. */
  logger?: Logger;
}

/** What to do with a value: answer it; answer it and load again in the background; load again and wait. */
export type Verdict = 'fresh' | 'stale' | 'unusable';

/** One entry, without its value. */
export interface CacheEntry {
  key: string;
  /** Size of the value as JSON. */
  bytes: number;
  /** In ms since 1970. */
  storedAt: number;
  /** From when on the value is stale, in ms since 1970. */
  expiresAt: number;
}

/**
 * A read-through cache of JSON values that outlives the process. A failure to read or write is logged once, and costs
 * no more than loading again.
 */
export class SchemaCache<Value> {
  readonly #store: MemoryStore;
  readonly #keyv: Keyv<Entry>;
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #logger: Logger;
  readonly #loads = new Map<string, Promise<Value>>();
  #hits = 0;
  #misses = 0;
  /** Keys whose refresh failed: each is logged once, until it works again. */
  readonly #failing = new Set<string>();

  /** Opens nothing. Throws `invalid_argument` for a store that is not a Redis URL. */
  constructor(options: SchemaCacheOptions = {}) {
    const { ttlMs = 86_400_000, now = Date.now, logger = silentLogger } = options;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#logger = logger;
    this.#store = createStore(options, ttlMs, now, logger);
    this.#keyv = new Keyv<Entry>({ store: this.#store, useKeyPrefix: false });
    // The stores keep objects, and write JSON themselves.
    this.#keyv.serialize = undefined;
    this.#keyv.on('error', (error: unknown) => logger.error({ err: error }, 'The cache store failed.'));
  }

  /** How often a value was there, stale or not, and how often it had to be loaded first. */
  get stats(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /**
   * The value at once if there is one; a stale one is loaded again in the background, and kept if that fails.
   * Otherwise what `load` resolves with, which concurrent callers share; then it rejects as `load` does. A value from a
   * file or Redis may come from anyone, so `judge` decides whether it is used; it must not throw.
   */
  async getOrLoad(
    key: string,
    load: () => Promise<Value>,
    judge: (value: Value) => Verdict = () => 'fresh',
  ): Promise<Value> {
    const entry = await this.#keyv.get<Entry>(key);
    const value = entry?.value as Value;
    const verdict = entry ? judge(value) : 'unusable';
    if (!entry || verdict === 'unusable') {
      this.#misses++;
      return this.#load(key, load);
    }
    this.#hits++;
    if (verdict === 'stale' || !isFresh(entry, this.#now(), this.#ttlMs)) this.#refresh(key, load);
    return value;
  }

  async delete(key: string): Promise<void> {
    await this.#keyv.delete(key);
  }

  async clear(): Promise<void> {
    await this.#keyv.clear();
  }

  /** All entries, by key. */
  async entries(): Promise<CacheEntry[]> {
    const all = await this.#store.all();
    return all
      .map(([key, { value, storedAt, expiresAt }]) => {
        return { key, bytes: Buffer.byteLength(toJson(value) ?? ''), storedAt, expiresAt };
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Writes the changes that are not written yet, and ends the connection. Does not wait for loads under way. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  #refresh(key: string, load: () => Promise<Value>): void {
    if (this.#loads.has(key)) return;
    this.#load(key, load).then(
      () => this.#failing.delete(key),
      (error: unknown) => {
        if (!this.#failing.has(key)) {
          this.#logger.warn({ key, err: error }, 'A stale entry could not be refreshed; it stays in use.');
        }
        this.#failing.add(key);
      },
    );
  }

  #load(key: string, load: () => Promise<Value>): Promise<Value> {
    const underWay = this.#loads.get(key);
    if (underWay) return underWay;
    const loading = this.#loadAndStore(key, load).finally(() => this.#loads.delete(key));
    this.#loads.set(key, loading);
    return loading;
  }

  async #loadAndStore(key: string, load: () => Promise<Value>): Promise<Value> {
    const value = await load();
    const storedAt = this.#now();
    await this.#keyv.set<Entry>(key, { value, storedAt, expiresAt: storedAt + this.#ttlMs });
    return value;
  }
}

function createStore(
  { file, store, maxEntries = 1000 }: SchemaCacheOptions,
  ttlMs: number,
  now: () => number,
  logger: Logger,
): MemoryStore {
  if (store !== undefined) {
    if (!/^rediss?:\/\//.test(store) || !URL.canParse(store)) {
      const message = 'The store of the cache must be a URL that begins with redis:// or rediss://.';
      throw new CodeExecutorError('invalid_argument', message);
    }
    return new RedisStore({ url: store, maxEntries, ttlMs, now, logger });
  }
  return file === undefined ? new MemoryStore(maxEntries) : new FileStore(file, maxEntries, logger);
}
