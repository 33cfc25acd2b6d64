import { Gauge, type Registry } from 'prom-client';

/** A gauge that has exactly the values that were shown last, without those that are NaN. */
export class StateGauge {
  readonly #gauge: Gauge;
  readonly #labelName: string | undefined;

  constructor(registry: Registry, name: string, help: string, labelName?: string) {
    const labelNames = labelName === undefined ? [] : [labelName];
    this.#gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    this.#labelName = labelName;
    this.#clear();
  }

  /** Shows the value of a gauge without a label. */
  show(value: number | undefined): void {
    this.#clear();
    if (Number.isFinite(value)) this.#gauge.set(Number(value));
  }

  /** Shows the values of a gauge with a label. */
  showEach(values: Iterable<readonly [string, number | undefined]>): void {
    this.#clear();
    for (const [label, value] of values) {
      if (Number.isFinite(value)) this.#gauge.set({ [this.#labelName ?? '']: label }, Number(value));
    }
  }

  #clear(): void {
    this.#gauge.reset();
    // `reset` sets a gauge without labels to 0, which would look like a value.
    if (this.#labelName === undefined) this.#gauge.remove();
  }
}
