/** A server that stayed connected for this long is not one that dies at once. */
const stableMs = 10_000;
/** A call, and the same made again. */
const freeRestarts = 2;
const firstPauseMs = 250;
const maxPauseMs = 2_000;

/**
 * When a server that went away may be connected again: at once two times, and later and later while it
 * goes away soon after each start, for a start costs more than what it does until then.
 */
export class RestartPace {
  #connectedAt = 0;
  #earlyLosses = 0;
  #notBefore = 0;

  /** How long to wait before the next start; 0 where nothing is to be waited for. */
  get pauseMs(): number {
    return Math.max(0, Math.ceil(this.#notBefore - performance.now()));
  }

  connected(): void {
    this.#connectedAt = performance.now();
  }

  lost(): void {
    const now = performance.now();
    this.#earlyLosses = now - this.#connectedAt < stableMs ? this.#earlyLosses + 1 : 0;
    const doublings = this.#earlyLosses - freeRestarts - 1;
    this.#notBefore = doublings < 0 ? 0 : now + Math.min(firstPauseMs * 2 ** doublings, maxPauseMs);
  }
}
