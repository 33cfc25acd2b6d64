import type { Entry, Wrapped } from './entry.js';

/** A Keyv store in memory that drops the least recently used entries. */
export class MemoryStore {
  readonly maxEntries: number;
  readonly #entries = new Map<string, Entry>();

  constructor(maxEntries: number) {
    this.maxEntries = maxEntries;
  }

  get(key: string): Promise<Wrapped | undefined> {
    const entry = this.#entries.get(key);
    if (entry) this.#putLast(key, entry);
    return Promise.resolve(entry && { value: entry });
  }

  set(key: string, { value }: Wrapped): Promise<void> {
    this.#putLast(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.maxEntries) break;
      this.#entries.delete(oldest);
    }
    return Promise.resolve();
  }

  delete(key: string): Promise<boolean> {
    return Promise.resolve(this.#entries.delete(key));
  }

  clear(): Promise<void> {
    this.#entries.clear();
    return Promise.resolve();
  }

  /** All entries, the least recently used first. */
  all(): Promise<[key: string, entry: Entry][]> {
    return Promise.resolve([...this.#entries]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #putLast(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }
}
