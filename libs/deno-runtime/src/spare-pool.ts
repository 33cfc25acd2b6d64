import { setTimeout as delay } from 'node:timers/promises';

import type { DenoProcess } from './deno-process.js';

export interface SpareOptions {
  /** Processes that wait; 0 turns spares off. Default 4. */
  count?: number;
  /** Spares that were not used for this many milliseconds are ended. Default 600,000. */
  idleMs?: number;
  /** Resident memory of all spares together, in MiB; a spare that would exceed it is ended. Default 512. */
  maxMemoryMb?: number;
}

export interface SpareStatus {
  ready: number;
  /** Resident memory of all spares together, in MiB. */
  memoryMb: number;
}

/** The pause after the last execution before spares are started, because the caller may start another one at once. */
const restMs = 10;
/** A spare that is not ready after this time counts as hung, and is ended. */
const startLimitMs = 60_000;

/**
 * Unused processes that wait for a program, so that a program need not wait for a process to start. Each of them runs
 * one program. They are started only while no program runs, because starting one costs as much CPU as a short program.
 */
export class SparePool {
  readonly #options: Required<SpareOptions>;
  readonly #start: () => Promise<DenoProcess>;
  readonly #ready: DenoProcess[] = [];
  readonly #alive = new Set<DenoProcess>();
  #idleTimer: NodeJS.Timeout | undefined;
  /** Identifies the latest call of `fill`; an earlier one stops when it sees that it is not the latest. */
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
   * Takes a process that has sent nothing but `ready`; undefined if there is none. Stops filling the pool until
   * `fill()`. A process that turns out to be halted is ended before the program starts in it; the caller then starts a
   * new process. Other spares are checked only when they are taken.
   */
  take(): DenoProcess | undefined {
    this.#filling = undefined;
    const next = this.#ready.shift();
    if (!next) return undefined;
    this.#alive.delete(next);
    // Check it while it reads its program, because checking takes a while.
    setImmediate(() => {
      if (next.isHalted) void next.kill(0);
    });
    return next;
  }

  /** Starts missing spares, one after another. Call this when no program runs. */
  fill(): void {
    if (this.#isClosed || this.#options.count === 0) return;
    clearTimeout(this.#idleTimer);
    const wish = {};
    this.#filling = wish;
    const isWanted = () => this.#filling === wish && this.#ready.length < this.#options.count;
    void (async () => {
      await delay(restMs);
      while (isWanted() && (await this.#addOne()));
      // Start the timer only now, because a slow machine might otherwise end spares right after their start.
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

  /** Returns false if there is no use in starting another one. */
  async #addOne(): Promise<boolean> {
    const spare = await this.#start().catch(() => undefined);
    if (!spare) return false;
    this.#alive.add(spare);
    const limit = setTimeout(() => void spare.kill(0), startLimitMs).unref();
    const isReady = await this.#untilReady(spare);
    clearTimeout(limit);
    if (
      !isReady ||
      // The first check takes longer, so it is done here and not when a program arrives.
      spare.isHalted ||
      this.#isClosed ||
      // Another spare was added while this one started, because a program ran in between.
      this.#ready.length >= this.#options.count ||
      this.status.memoryMb + spare.residentMb > this.#options.maxMemoryMb
    ) {
      void spare.kill(0);
      return false;
    }
    this.#ready.push(spare);
    return true;
  }

  /** Resolves once it is ready or has ended. A spare that sends anything but `ready`, or ends, is discarded. */
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
