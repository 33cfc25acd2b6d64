/** A server that stays connected for this long counts as stable. */
const stableMs = 10_000;
/** Enough for a call and its retry. */
const freeRestarts = 2;
const firstPauseMs = 250;
const maxPauseMs = 2_000;

/**
 * When a server that went away may be connected again: twice at once, and then after longer and longer pauses as long
 * as it goes away soon after each start, because a start costs more than the server does until then.
 */
export class RestartPace {
  #connectedAt = 0;
  #earlyLosses = 0;
  #notBefore = 0;

  /** How long to wait before the next start; 0 if it may begin now. */
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
