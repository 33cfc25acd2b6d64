import { Counter, type Registry } from 'prom-client';

import { isAmount } from './amount.js';

/** A counter that follows counts kept elsewhere. It never falls: a count that fell has begun again at 0. */
export class FollowedCounter {
  readonly #counter: Counter;
  readonly #labelName: string;
  readonly #last = new Map<string, number>();

  constructor(registry: Registry, name: string, help: string, labelName: string) {
    this.#counter = new Counter({ name, help, labelNames: [labelName], registers: [registry] });
    this.#labelName = labelName;
  }

  /** The count by label value as it is now. What is not a number from 0 is left out. */
  follow(counts: Iterable<readonly [string, number]>): void {
    for (const [value, count] of counts) {
      if (!isAmount(count)) continue;
      const last = this.#last.get(value) ?? 0;
      this.#counter.inc({ [this.#labelName]: value }, count >= last ? count - last : count);
      this.#last.set(value, count);
    }
  }
}
