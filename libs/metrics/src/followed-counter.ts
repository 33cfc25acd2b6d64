import { Counter, type Registry } from 'prom-client';

import { isAmount } from './amount.js';

/** A counter that follows counts kept elsewhere. It never falls, because a count that is lower than before has started again at 0. */
export class FollowedCounter {
  readonly #counter: Counter;
  readonly #labelName: string;
  readonly #last = new Map<string, number>();

  constructor(registry: Registry, name: string, help: string, labelName: string) {
    this.#counter = new Counter({ name, help, labelNames: [labelName], registers: [registry] });
    this.#labelName = labelName;
  }

  /** Takes the current counts by label value. Negative numbers and NaN are ignored. */
  follow(counts: Iterable<readonly [string, number]>): void {
    for (const [value, count] of counts) {
      if (!isAmount(count)) continue;
      const last = this.#last.get(value) ?? 0;
      this.#counter.inc({ [this.#labelName]: value }, count >= last ? count - last : count);
      this.#last.set(value, count);
    }
  }
}
