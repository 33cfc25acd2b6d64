const pieceChars = 4096;

/**
 * Printed text up to a limit. Of longer text it keeps the head and the tail, with a marker between them that says how
 * many characters were left out.
 */
export class OutputBuffer {
  readonly #maxHead: number;
  readonly #maxTail: number;
  #head = '';
  /** Pieces that follow the head; together they contain at least the tail that will be kept. */
  #tail: string[] = [];
  #tailLength = 0;
  #omitted = 0;

  /** @param maxChars - How many characters are kept in total; two fifths of them from the beginning. */
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
    // Join short pieces, because keeping a million pieces of one character would take a minute.
    const last = this.#tail.at(-1);
    if (last !== undefined && last.length + rest.length <= pieceChars)
      this.#tail[this.#tail.length - 1] = last + rest;
    else this.#tail.push(rest);
    this.#tailLength += rest.length;
    // Drop pieces that cannot be part of the tail any more.
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
