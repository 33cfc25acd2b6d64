const pieceChars = 4096;

/**
 * Printed text with a bound: beyond it the head and the tail are kept, and a marker with the number
 * of characters left out stands between them.
 */
export class OutputBuffer {
  readonly #maxHead: number;
  readonly #maxTail: number;
  #head = '';
  /** Pieces behind the head, together at least the tail that will be kept. */
  #tail: string[] = [];
  #tailLength = 0;
  #omitted = 0;

  /** @param maxChars - Characters kept in all; two fifths of them from the beginning. */
  constructor(maxChars: number) {
    this.#maxHead = Math.floor(maxChars * 0.4);
    this.#maxTail = maxChars - this.#maxHead;
  }

  get isTruncated(): boolean {
    return this.#omitted + this.#tailLength > this.#maxTail;
  }

  push(text: string): void {
    const room = this.#maxHead - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (!rest) return;
    // Short ones together: a million pieces of one character would cost a minute to keep.
    const last = this.#tail.at(-1);
    if (last !== undefined && last.length + rest.length <= pieceChars)
      this.#tail[this.#tail.length - 1] = last + rest;
    else this.#tail.push(rest);
    this.#tailLength += rest.length;
    // Whole pieces that the tail cannot need any more.
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailLength - first.length < this.#maxTail) break;
      this.#tail.shift();
      this.#tailLength -= first.length;
      this.#omitted += first.length;
    }
  }

  toString(): string {
    const tail = this.#tail.join('');
    const omitted = this.#omitted + Math.max(0, tail.length - this.#maxTail);
    if (omitted === 0) return this.#head + tail;
    return `${this.#head}\n[... ${omitted} characters left out ...]\n${tail.slice(-this.#maxTail)}`;
  }
}
