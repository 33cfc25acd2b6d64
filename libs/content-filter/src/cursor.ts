/**
 * The text that a scan has so far. Patterns read it through `at` and `startsWith` only, which notice when they ask for
 * more than there is. A decision that did not ask for more stays the same, however the text goes on: therefore the
 * stream finds exactly what is found in the whole text.
 */
export class Cursor {
  /** True once a pattern has asked for characters that have not arrived. */
  needsMore = false;
  /** The code of the character before the current position; −1 at the start and after an escape sequence. */
  previous = -1;
  readonly text: string;
  readonly #isWhole: boolean;
  #nextAtSign = -1;

  /** `isWhole`: nothing follows this text. */
  constructor(text: string, isWhole: boolean) {
    this.text = text;
    this.#isWhole = isWhole;
  }

  /** The code of a character; −1 beyond the end. */
  at(index: number): number {
    if (index < this.text.length) return this.text.charCodeAt(index);
    if (!this.#isWhole) this.needsMore = true;
    return -1;
  }

  startsWith(literal: string, index: number): boolean {
    for (let offset = 0; offset < literal.length; offset++) {
      if (this.at(index + offset) !== literal.charCodeAt(offset)) return false;
    }
    return true;
  }

  /** Whether an `@` may follow within so many characters. Cheap, because it looks for each `@` only once. */
  mayHaveAtSign(index: number, within: number): boolean {
    if (this.#nextAtSign < index) {
      const found = this.text.indexOf('@', index);
      this.#nextAtSign = found === -1 ? Infinity : found;
    }
    return this.#nextAtSign <= index + within || (!this.#isWhole && index + within >= this.text.length);
  }
}
