/** Enough to repair a file with; the rest follows on the next try. */
const maxTexts = 20;

/** What is wrong with one file or the environment: all problems counted, the first of them worded. */
export class ProblemList {
  readonly #texts: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** A function, because wording a problem may cost more than finding it, and hostile files have many. */
  add(text: () => string): void {
    this.#count += 1;
    if (this.#texts.length < maxTexts) this.#texts.push(text());
  }

  /** One line for one problem, else one line each. */
  report(subject: string): string {
    const [first = ''] = this.#texts;
    if (this.#count === 1) return `${subject}: ${first}${first.endsWith('?') ? '' : '.'}`;
    const lines = this.#texts.map((text) => `\n- ${text}`);
    const rest = this.#count - this.#texts.length;
    return `${subject} has ${this.#count} problems:${lines.join('')}${rest > 0 ? `\n- and ${rest} more` : ''}`;
  }
}
