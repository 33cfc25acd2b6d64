/** The last bytes of a stream of text, however much of it comes. */
export class TextTail {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const recent = chunk.subarray(-this.#maxBytes);
    this.#bytes = Buffer.concat([this.#bytes, recent]).subarray(-this.#maxBytes);
  }

  /** The last lines that are not empty, oldest first. */
  lines(count: number): string[] {
    const lines = this.#bytes.toString().split('\n');
    return lines.filter((line) => line.trim() !== '').slice(-count);
  }

  toString(): string {
    return this.#bytes.toString();
  }
}
