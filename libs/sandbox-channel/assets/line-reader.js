// Taken before the program runs, so that its changes to the globals do not break its own calls.
const decoder = new TextDecoder();
const decode = decoder.decode.bind(decoder);
const lineFeed = 0x0a;

/** Reads lines from a pipe; the bytes of a line can come in pieces of any size. */
export class LineReader {
  #pipe;
  #buffer = new Uint8Array(256 * 1024);
  /** The part of the buffer that was read and not yet returned as a line. */
  #rest = this.#buffer.subarray(0, 0);
  /** Earlier pieces of a line that has not ended; copies, because the buffer is reused. */
  #pieces = [];

  constructor(pipe) {
    this.#pipe = pipe;
  }

  /** The next line, or undefined at the end of the pipe. */
  async next() {
    const line = this.#takeLine();
    // The rest of a line that has begun is on its way: blocking for it is faster than an asynchronous wait per piece.
    if (line !== undefined || this.#pieces.length > 0) return line ?? this.nextBlocking();
    return this.#add(await this.#pipe.read(this.#buffer)) ? this.nextBlocking() : undefined;
  }

  /** Like `next`, but blocks, because then the process wakes up faster. */
  nextBlocking() {
    for (;;) {
      const line = this.#takeLine();
      if (line !== undefined || !this.#add(this.#pipe.readSync(this.#buffer))) return line;
    }
  }

  /** False at the end of stdin. */
  #add(length) {
    if (length === null) return false;
    this.#rest = this.#buffer.subarray(0, length);
    return true;
  }

  /** A complete line; if there is none, the buffer can be reused. */
  #takeLine() {
    const end = this.#rest.indexOf(lineFeed);
    if (end === -1) {
      if (this.#rest.length > 0) this.#pieces.push(this.#rest.slice());
      this.#rest = this.#rest.subarray(this.#rest.length);
      return undefined;
    }
    const line = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return decode(this.#pieces.length > 0 ? this.#join(line) : line);
  }

  #join(last) {
    const pieces = this.#pieces;
    this.#pieces = [];
    return concat([...pieces, last]);
  }
}

/** Joins the pieces. */
export function concat(pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
