/** A value with its freshness beside it: Keyv deletes what it reads expired, and a stale value is wanted. */
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

/** Whether what came out of a file or a server is an entry; says nothing about its value. */
export function isEntry(data: unknown): data is Entry {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'value')) return false;
  const { storedAt, expiresAt } = data as Partial<Entry>;
  return Number.isFinite(storedAt) && Number.isFinite(expiresAt);
}

/** Stale too is what claims to be fresh for longer than `ttlMs`: stored with another setting or a wrong clock. */
export function isFresh({ expiresAt }: Entry, now: number, ttlMs: number): boolean {
  return now < expiresAt && expiresAt <= now + ttlMs;
}

/** The value as JSON; undefined for what is none, such as a loop or nesting too deep. */
export function toJson(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}
