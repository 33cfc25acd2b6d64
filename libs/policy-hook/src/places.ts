import { untilAborted } from '@code-executor/contracts';

/** A number of places; who comes when all are taken waits for one, in the order of arrival. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves, once there is a place, with the function that gives it back. Rejects with the reason of the signal. */
  async enter(signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    return () => this.#leave();
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    let take: () => void = () => {};
    const turn = new Promise<void>((resolve) => (take = resolve));
    this.#waiting.push(take);
    try {
      await untilAborted(turn, signal);
    } catch (reason) {
      const index = this.#waiting.indexOf(take);
      // The place may have come at the same time; somebody else gets it then.
      if (index >= 0) this.#waiting.splice(index, 1);
      else this.#leave();
      throw reason;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
