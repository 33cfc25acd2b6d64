/** The last bytes of a stream of text, however much of it comes. */
export class TextTail {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const recent = chunk.subarray(-this.#maxBytes);
    const all = Buffer.concat([this.#bytes, recent]);
    this.#isCut ||= recent.length < chunk.length || all.length > this.#maxBytes;
    this.#bytes = all.subarray(-this.#maxBytes);
  }

  /** Without a word whose beginning was cut off, because a part of a secret cannot be recognized. */
  toString(): string {
    const text = this.#bytes.toString();
    return this.#isCut ? text.replace(/^\S*/u, '…') : text;
  }
}
