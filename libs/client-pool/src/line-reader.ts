const newline = 0x0a;

/** Cuts a byte stream into lines, and never holds more than `maxBytes` of one. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** False when a line is longer than allowed; the reader is of no use afterwards. */
  push(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (!this.#keep(chunk.subarray(start, end))) return false;
      this.#emit();
      start = end + 1;
    }
    return this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): boolean {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#parts = [];
      return false;
    }
    if (part.length > 0) this.#parts.push(part);
    return true;
  }

  #emit(): void {
    const line = (this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts))?.toString() ?? '';
    this.#parts = [];
    this.#bytes = 0;
    if (line.trim() !== '') this.#onLine(line);
  }
}
