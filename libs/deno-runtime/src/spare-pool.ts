import { setTimeout as delay } from 'node:timers/promises';

import type { DenoProcess } from './deno-process.js';

export interface SpareOptions {
  /** Processes that wait; 0 turns spares off. Default 4. */
  count?: number;
  /** Spares that nobody took for this many milliseconds are ended. Default 600,000. */
  idleMs?: number;
  /** Resident memory of all spares together, in MiB; what is above is ended. Default 512. */
  maxMemoryMb?: number;
}

export interface SpareStatus {
  ready: number;
  /** Resident memory of all spares together, in MiB. */
  memoryMb: number;
}

/** After the last execution, before spares are started: a caller's next one may be on its way. */
const restMs = 10;
/** One that is not ready by then hangs. */
const startLimitMs = 60_000;

/**
 * Unused processes that wait for a program, so that it need not wait for a process. Each is taken
 * once and runs one program. They are started only while no program runs, because starting one costs
 * as much CPU as a short program.
 */
export class SparePool {
  readonly #options: Required<SpareOptions>;
  readonly #start: () => Promise<DenoProcess>;
  readonly #ready: DenoProcess[] = [];
  readonly #alive = new Set<DenoProcess>();
  #idleTimer: NodeJS.Timeout | undefined;
  /** The latest wish to fill the pool; an earlier one sees that it is not the latest and stops. */
  #filling: object | undefined;
  #isClosed = false;

  /** @param start - Starts a process that says `ready` once it has warmed up. */
  constructor(options: SpareOptions, start: () => Promise<DenoProcess>) {
    const { count = 4, idleMs = 600_000, maxMemoryMb = 512 } = options;
    this.#options = { count, idleMs, maxMemoryMb };
    this.#start = start;
  }

  get status(): SpareStatus {
    const memoryMb = this.#ready.reduce((sum, { residentMb }) => sum + residentMb, 0);
    return { ready: this.#ready.length, memoryMb: Math.round(memoryMb) };
  }

  /**
   * A process that has said nothing but `ready`, or undefined. Stops filling until `fill()`. One that does
   * not run any more is ended at once, before the program has started in it: that program gets a process of its
   * own, and the other spares are looked at when their turn comes.
   */
  take(): DenoProcess | undefined {
    this.#filling = undefined;
    const next = this.#ready.shift();
    if (!next) return undefined;
    this.#alive.delete(next);
    // Only now, while it reads its program: looking takes a while.
    setImmediate(() => {
      if (next.isHalted) void next.kill(0);
    });
    return next;
  }

  /** Nothing runs now: starts what is missing, one after the other. */
  fill(): void {
    if (this.#isClosed || this.#options.count === 0) return;
    clearTimeout(this.#idleTimer);
    const wish = {};
    this.#filling = wish;
    const isWanted = () => this.#filling === wish && this.#ready.length < this.#options.count;
    void (async () => {
      await delay(restMs);
      while (isWanted() && (await this.#addOne()));
      // Not before: a machine that takes long to start one would end it at once.
      if (this.#filling === wish)
        this.#idleTimer = setTimeout(() => void this.drop(), this.#options.idleMs).unref();
    })();
  }

  /** Ends all spares and resolves when they are gone; the next `fill()` starts new ones. */
  async drop(): Promise<void> {
    this.#filling = undefined;
    clearTimeout(this.#idleTimer);
    this.#ready.length = 0;
    const spares = [...this.#alive];
    this.#alive.clear();
    await Promise.all(spares.map((spare) => spare.kill(0)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drop();
  }

  /** False when there is no use in trying for another. */
  async #addOne(): Promise<boolean> {
    const spare = await this.#start().catch(() => undefined);
    if (!spare) return false;
    this.#alive.add(spare);
    const limit = setTimeout(() => void spare.kill(0), startLimitMs).unref();
    const isReady = await this.#untilReady(spare);
    clearTimeout(limit);
    if (
      !isReady ||
      // Asked here for the first time, so that it is quick when a program comes.
      spare.isHalted ||
      this.#isClosed ||
      // Another one got there first: a program came and went while this one started.
      this.#ready.length >= this.#options.count ||
      this.status.memoryMb + spare.residentMb > this.#options.maxMemoryMb
    ) {
      void spare.kill(0);
      return false;
    }
    this.#ready.push(spare);
    return true;
  }

  /** Resolves when it is ready, or is not going to be; whatever it says or does beside that discards it. */
  #untilReady(spare: DenoProcess): Promise<boolean> {
    const discard = () => {
      const index = this.#ready.indexOf(spare);
      if (index !== -1) this.#ready.splice(index, 1);
      void spare.kill(0);
    };
    spare.listen({ onOutput: discard, onViolation: discard, onFrame: discard });
    void spare.exit.then(() => this.#alive.delete(spare)).then(discard);
    return spare.ready;
  }
}
