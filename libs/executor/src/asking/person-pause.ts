import type { RunPause } from '@code-executor/contracts';

/** Whether a run waits for a person and for nothing else: all of its tool calls that are under way do. */
export class PersonPause implements RunPause {
  readonly #listeners: (() => void)[] = [];
  #calls = 0;
  #waits = 0;
  #isPaused = false;

  get isPaused(): boolean {
    return this.#isPaused;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A tool call of the run has begun. */
  callBegan(): void {
    this.#calls++;
    this.#follow();
  }

  callEnded(): void {
    this.#calls--;
    this.#follow();
  }

  /** A call waits until a person has answered. */
  async waitFor<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#waits++;
    this.#follow();
    try {
      return await answer;
    } finally {
      this.#waits--;
      this.#follow();
    }
  }

  /** Forgets the listeners, which hold everything that the run needed. */
  end(): void {
    this.#listeners.length = 0;
  }

  #follow(): void {
    const isPaused = this.#waits > 0 && this.#waits >= this.#calls;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    for (const listener of this.#listeners) listener();
  }
}
