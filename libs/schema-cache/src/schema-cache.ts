import { CodeExecutorError, type Logger, silentLogger } from '@code-executor/contracts';
import { Keyv } from 'keyv';

import { type Entry, isFresh, toJson } from './entry.js';
import { FileStore } from './file-store.js';
import { MemoryStore } from './memory-store.js';
import { RedisStore } from './redis-store.js';

export interface SchemaCacheOptions {
  /** Where entries outlive the process; written by its owner only, made when there is something to keep. Default: memory only. */
  file?: string;
  /** `redis://…` or `rediss://…`: entries are there instead, shared by several servers. */
  store?: string;
  /** How long an entry is fresh, in ms. A stale one is still answered, and loaded again behind. Default 86,400,000, a day. */
  ttlMs?: number;
  /** Beyond this many, the least recently used entry goes. Default 1,000. */
  maxEntries?: number;
  /** The clock, in ms since 1970. Default `Date.now`. */
  now?: () => number;
  /** Default: silence. */
  logger?: Logger;
}

/** What is to be done with a value: answer it; answer it and load again behind; load again and wait. */
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
 * A read-through cache of JSON values that outlives the process. What cannot be read or written is logged
 * once and costs no more than loading again.
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

  /** Opens nothing. Throws `invalid_argument` for a store that is no Redis URL. */
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

  /** How often a value was there, stale or not, and how often it had to be waited for. */
  get stats(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /**
   * The value at once when there is one; a stale one is loaded again behind, and kept when that fails.
   * Else what `load` gives, which concurrent callers share; rejects as `load` does. What comes out of a
   * file or Redis may have been put there by anybody: `judge` decides what is taken, and must not throw.
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

  /** What is there, by key. */
  async entries(): Promise<CacheEntry[]> {
    const all = await this.#store.all();
    return all
      .map(([key, { value, storedAt, expiresAt }]) => {
        return { key, bytes: Buffer.byteLength(toJson(value) ?? ''), storedAt, expiresAt };
      })
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Writes what is not written yet, and ends the connection. Loads under way are not waited for. */
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
