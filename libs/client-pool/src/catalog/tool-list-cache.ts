/** What to do with a cached value: use it; use it and load again in the background; load again and wait. */
export type CacheVerdict = 'fresh' | 'stale' | 'unusable';

/** Where the pool keeps tool lists as JSON values; `SchemaCache` is one. */
export interface ToolListCache {
  /**
   * The value of the key at once if `judge` accepts it, and loaded again in the background if it is stale. Otherwise
   * what `load` resolves with, which concurrent callers share; then it rejects as `load` does.
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
    const value = this.#value;
    const verdict = value === undefined ? 'unusable' : judge(value);
    if (verdict === 'fresh') return value;
    const loading = this.#load(load);
    if (verdict === 'unusable') return loading;
    // The old list stays if that fails.
    loading.catch(() => undefined);
    return value;
  }

  #load(load: () => Promise<unknown>): Promise<unknown> {
    this.#loading ??= load()
      .then((value) => (this.#value = value))
      .finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  forget(): void {
    this.#value = undefined;
  }
}
