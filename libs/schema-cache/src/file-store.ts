import type { Logger } from '@code-executor/contracts';

import { readCacheFile, writeCacheFile } from './cache-file.js';
import type { Entry, Wrapped } from './entry.js';
import { MemoryStore } from './memory-store.js';

/** Changes within this time are written together. */
const gatherMs = 200;

/** A `MemoryStore` that is also in a file: read once, written in the background, and shared with other processes. */
export class FileStore extends MemoryStore {
  readonly #file: string;
  readonly #logger: Logger;
  /** What this process has changed since the last write; everything else is taken from the file. */
  #changed = new Set<string>();
  #isCleared = false;
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(file: string, maxEntries: number, logger: Logger) {
    super(maxEntries);
    this.#file = file;
    this.#logger = logger;
  }

  override async get(key: string): Promise<Wrapped | undefined> {
    await this.#load();
    return super.get(key);
  }

  override async set(key: string, wrapped: Wrapped): Promise<void> {
    await this.#load();
    await super.set(key, wrapped);
    this.#change(key);
  }

  override async delete(key: string): Promise<boolean> {
    await this.#load();
    this.#change(key);
    return super.delete(key);
  }

  override async clear(): Promise<void> {
    await this.#load();
    await super.clear();
    this.#isCleared = true;
    this.#change();
  }

  override async all(): Promise<[key: string, entry: Entry][]> {
    await this.#load();
    return super.all();
  }

  /** Writes the changes that are not written yet. */
  override async close(): Promise<void> {
    if (this.#timer) this.#write();
    await this.#writing;
  }

  #load(): Promise<void> {
    return (this.#loading ??= this.#read());
  }

  async #read(): Promise<void> {
    try {
      for (const [key, value] of await readCacheFile(this.#file)) await super.set(key, { value });
    } catch (error) {
      this.#warn(error, 'The cache file cannot be used; it will be written anew.');
    }
  }

  #change(key?: string): void {
    if (key !== undefined) this.#changed.add(key);
    this.#timer ??= setTimeout(() => this.#write(), gatherMs).unref();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#save());
  }

  async #save(): Promise<void> {
    const changed = this.#changed;
    const isCleared = this.#isCleared;
    this.#changed = new Set();
    this.#isCleared = false;
    try {
      const own = new Map(await super.all());
      // A file that was damaged meanwhile is written anew from memory.
      const kept = isCleared
        ? new Map<string, Entry>()
        : await readCacheFile(this.#file).catch(() => new Map(own));
      await writeCacheFile(this.#file, this.#merged(kept, own, changed));
      this.#hasWarned = false;
    } catch (error) {
      // The next change tries again.
      for (const key of changed) this.#changed.add(key);
      this.#isCleared ||= isCleared;
      this.#warn(error, 'The cache cannot be written to its file; it is kept in memory only.');
    }
  }

  /** The file's entries with the changes of this process; the entries it used come last, in the order of their use. */
  #merged(kept: Map<string, Entry>, own: ReadonlyMap<string, Entry>, changed: ReadonlySet<string>) {
    const theirs = new Map(kept);
    for (const key of changed) if (!own.has(key)) kept.delete(key);
    for (const [key, entry] of own) {
      const their = theirs.get(key);
      const isOurs = changed.has(key) && !(their && their.storedAt > entry.storedAt);
      const latest = isOurs ? entry : their;
      kept.delete(key);
      if (latest) kept.set(key, latest);
    }
    return new Map([...kept].slice(-this.maxEntries));
  }

  /** Warns once until writing works again, because a full disk stays full for a while. */
  #warn(error: unknown, message: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#logger.warn({ err: error }, message);
  }
}
