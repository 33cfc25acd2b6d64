/** A value with its own freshness, because Keyv deletes expired values when it reads them, and stale ones are wanted. */
export interface Entry {
  value: unknown;
  /** When it was stored, in ms since 1970. */
  storedAt: number;
  /** From when on it is stale, in ms since 1970. */
  expiresAt: number;
}

/** What Keyv hands to a store: it adds an expiry of its own, which is never set here. */
export interface Wrapped {
  value: Entry;
}

/** Whether a value from a file or a server is an entry; its own value is not checked. */
export function isEntry(data: unknown): data is Entry {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'value')) return false;
  const { storedAt, expiresAt } = data as Partial<Entry>;
  return Number.isFinite(storedAt) && Number.isFinite(expiresAt);
}

/** Whether an entry is fresh. One that claims to be for longer than `ttlMs` is not: it has another setting or a wrong clock. */
export function isFresh({ expiresAt }: Entry, now: number, ttlMs: number): boolean {
  return now < expiresAt && expiresAt <= now + ttlMs;
}

/** The value as JSON; undefined if it is not JSON, for example because of a loop, or nested too deep. */
export function toJson(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
