type Counted = (error: Error | null, count?: { current: number; ttl: number }) => void;

/** How many clients are remembered; a further one replaces the first. */
const maxClients = 5000;

/**
 * Counts requests for `@fastify/rate-limit` over the last `windowMs` at any time. The package's own store starts a new count
 * with each window, which lets twice as many requests through around the boundary. Refused requests do not count.
 */
export class SlidingWindowStore {
  /** When the requests of each client within the window came, oldest first. */
  readonly #times = new Map<string, number[]>();

  incr(client: string, done: Counted, windowMs: number, max: number): void {
    done(null, this.count(client, windowMs, max));
  }

  /** Counts a request, unless there are `max` within the window already; `ttl` is when the oldest of them leaves it. */
  count(client: string, windowMs: number, max: number): { current: number; ttl: number } {
    const now = performance.now();
    const times = (this.#times.get(client) ?? []).filter((time) => time > now - windowMs);
    const [oldest = now] = times;
    const current = times.length + 1;
    if (current <= max) times.push(now);
    this.#remember(client, times);
    return { current, ttl: Math.max(0, Math.ceil(oldest + windowMs - now)) };
  }

  /** A separate store, for another route. */
  child(): SlidingWindowStore {
    return new SlidingWindowStore();
  }

  #remember(client: string, times: number[]): void {
    if (!this.#times.has(client) && this.#times.size >= maxClients) {
      const [first] = this.#times.keys();
      if (first !== undefined) this.#times.delete(first);
    }
    this.#times.set(client, times);
  }
}
