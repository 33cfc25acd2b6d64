/** What a reader thinks of a cached value: take it; take it and load again behind; load again and wait. */
export type CacheVerdict = 'fresh' | 'stale' | 'unusable';

/** Where the pool keeps tool lists as JSON values; `SchemaCache` is one. */
export interface ToolListCache {
  /**
   * The value of the key at once when `judge` takes it, loaded again behind when it is stale; else what
   * `load` gives, which concurrent callers share. Rejects as `load` does when that was waited for.
   */
  getOrLoad(
    key: string,
    load: () => Promise<unknown>,
    judge: (value: unknown) => CacheVerdict,
  ): Promise<unknown>;
}

/** The list of one server, until its connection ends. */
export class SessionCache implements ToolListCache {
  #value: unknown;
  #loading: Promise<unknown> | undefined;

  async getOrLoad(
    _key: string,
    load: () => Promise<unknown>,
    judge: (value: unknown) => CacheVerdict,
  ): Promise<unknown> {
    if (this.#value !== undefined && judge(this.#value) !== 'unusable') return this.#value;
    this.#loading ??= load()
      .then((value) => (this.#value = value))
      .finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  forget(): void {
    this.#value = undefined;
  }
}
