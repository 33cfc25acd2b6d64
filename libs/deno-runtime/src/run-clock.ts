import type { RunPause } from '@code-executor/contracts';

/** How long the clock of one run can stand still in total. A program could ask again and again, and run meanwhile. */
const maxPauseMs = 600_000;

/** The clock of one run. It stands still while the run waits for a person, but only up to a limit. */
export class RunClock {
  readonly #limitMs: number;
  readonly #onLimit: () => void;
  readonly #pause: RunPause | undefined;
  #usedMs = 0;
  /** Since when the clock runs; undefined while it stands still. */
  #sinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pausedMs = 0;
  #pausedSinceMs: number | undefined;
  #isOver = false;

  /** Starts the clock. `onLimit` is called once, when `limitMs` are used up. */
  constructor(limitMs: number, pause: RunPause | undefined, onLimit: () => void) {
    this.#limitMs = limitMs;
    this.#onLimit = onLimit;
    this.#pause = pause;
    pause?.onChange(() => this.#follow());
    this.#follow();
  }

  /** Milliseconds that the run has used. */
  get usedMs(): number {
    return this.#usedMs + (this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs);
  }

  /** Stops the clock, because the run is over. */
  stop(): void {
    this.#halt();
    this.#isOver = true;
  }

  #follow(): void {
    if (this.#isOver) return;
    if (this.#pause?.isPaused && this.#pausedMs < maxPauseMs) this.#stand();
    else this.#go();
  }

  #stand(): void {
    if (this.#pausedSinceMs !== undefined) return;
    this.#halt();
    this.#pausedSinceMs = performance.now();
    this.#timer = setTimeout(() => this.#go(), maxPauseMs - this.#pausedMs);
  }

  #go(): void {
    if (this.#sinceMs !== undefined) return;
    clearTimeout(this.#timer);
    if (this.#pausedSinceMs !== undefined) this.#pausedMs += performance.now() - this.#pausedSinceMs;
    this.#pausedSinceMs = undefined;
    this.#sinceMs = performance.now();
    this.#timer = setTimeout(this.#onLimit, this.#limitMs - this.#usedMs);
  }

  #halt(): void {
    clearTimeout(this.#timer);
    this.#usedMs = this.usedMs;
    this.#sinceMs = undefined;
  }
}
