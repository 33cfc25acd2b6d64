import { Gauge, type Registry } from 'prom-client';

/** A gauge that has exactly the values shown last. What is not a number is left out. */
export class StateGauge {
  readonly #gauge: Gauge;
  readonly #labelName: string | undefined;

  constructor(registry: Registry, name: string, help: string, labelName?: string) {
    const labelNames = labelName === undefined ? [] : [labelName];
    this.#gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    this.#labelName = labelName;
    this.#clear();
  }

  /** Of a gauge without a label. */
  show(value: number | undefined): void {
    this.#clear();
    if (Number.isFinite(value)) this.#gauge.set(Number(value));
  }

  /** Of a gauge with a label: the values by label. */
  showEach(values: Iterable<readonly [string, number | undefined]>): void {
    this.#clear();
    for (const [label, value] of values) {
      if (Number.isFinite(value)) this.#gauge.set({ [this.#labelName ?? '']: label }, Number(value));
    }
  }

  #clear(): void {
    this.#gauge.reset();
    // `reset` gives a gauge without labels the value 0, which would be a claim.
    if (this.#labelName === undefined) this.#gauge.remove();
  }
}
