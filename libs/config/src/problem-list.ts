/** Enough to repair a file; the next attempt shows the rest. */
const maxTexts = 20;

/** The problems of one file or of the environment: all are counted, and the first ones have a message. */
export class ProblemList {
  readonly #texts: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Takes a function, because making a message may cost more than finding the problem, and hostile files have many. */
  add(text: () => string): void {
    this.#count += 1;
    if (this.#texts.length < maxTexts) this.#texts.push(text());
  }

  /** One line for a single problem, or a list with one line for each. */
  report(subject: string): string {
    const [first = ''] = this.#texts;
    if (this.#count === 1) return `${subject}: ${first}${first.endsWith('?') ? '' : '.'}`;
    const lines = this.#texts.map((text) => `\n- ${text}`);
    const rest = this.#count - this.#texts.length;
    return `${subject} has ${this.#count} problems:${lines.join('')}${rest > 0 ? `\n- and ${rest} more` : ''}`;
  }
}
