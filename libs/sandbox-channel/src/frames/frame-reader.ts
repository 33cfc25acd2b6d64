import { MessageBuffer } from '@code-executor/pipes';

/** RFC 7464's record separator: it cannot occur inside JSON text, so it safely begins a frame. */
const separator = 0x1e;
const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);
/** One frame from the sandbox, in bytes; the bootstrap refuses to send more. */
export const maxFrameBytes = 1024 * 1024;
/**
 * What a frame may cost, as a `JsonMeter` tells it; the bootstrap refuses to send more. A megabyte of a usual table
 * costs five; of `{}`, twenty-five.
 */
export const maxFrameCost = 6 * 1024 * 1024;

/** What a stream of a sandboxed process consists of. */
export interface FrameReaderListener {
  /** The JSON text of a frame; it may be anything, but takes no more than so many bytes, parsed and as text. */
  onFrame(json: string, cost: number): void;
  /** Everything that is not a frame: what the program printed. */
  onText(text: string): void;
  /** A frame that is longer than the limit, or too expensive to be parsed; nothing more is read. */
  onOversizedFrame(): void;
}

/**
 * Splits the raw bytes of a sandboxed process into frames and printed text. A frame is the record
 * separator, the nonce, JSON text and a line feed; everything else is text, also what only looks
 * like a frame. The nonce keeps programs that print such bytes, by accident or to forge an answer,
 * apart from the bootstrap; nothing that matters rests on it staying secret.
 */
export class FrameReader {
  readonly #marker: Buffer;
  readonly #maxFrameBytes: number;
  readonly #listener: FrameReaderListener;
  readonly #textDecoder = new TextDecoder();
  /** The beginning of a marker at the end of what has arrived; shorter than a marker. */
  #begun: Buffer = nothing;
  /** A frame, behind its marker. */
  readonly #frame = new MessageBuffer(maxFrameCost);
  #isInFrame = false;
  #isClosed = false;

  constructor(nonce: string, maxFrameBytes: number, listener: FrameReaderListener) {
    this.#marker = Buffer.concat([Buffer.of(separator), Buffer.from(nonce)]);
    this.#maxFrameBytes = maxFrameBytes;
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    let rest = this.#begun.length > 0 ? Buffer.concat([this.#begun, bytes]) : bytes;
    this.#begun = nothing;
    while (rest.length > 0 && !this.#isClosed) {
      rest = this.#isInFrame ? this.#readFrame(rest) : this.#readText(rest);
    }
  }

  /** The stream is over: what was begun is text. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const begun = this.#isInFrame ? this.#frame.take() : this.#begun;
    if (Buffer.isBuffer(begun))
      this.#emitText(this.#isInFrame ? Buffer.concat([this.#marker, begun]) : begun);
    const last = this.#textDecoder.decode();
    if (last) this.#listener.onText(last);
  }

  /** All text up to the next marker goes out in one piece, whatever in it begins like a marker. */
  #readText(bytes: Buffer): Buffer {
    for (
      let start = bytes.indexOf(separator);
      start !== -1;
      start = bytes[start + 1] === separator ? start + 1 : bytes.indexOf(separator, start + 1)
    ) {
      const length = Math.min(this.#marker.length, bytes.length - start);
      // The second byte first: comparing costs more, and a program may print nothing but separators.
      if (length > 1 && bytes[start + 1] !== this.#marker[1]) continue;
      if (bytes.compare(this.#marker, 0, length, start, start + length) !== 0) continue;
      this.#emitText(bytes.subarray(0, start));
      if (length < this.#marker.length) {
        this.#begun = Buffer.from(bytes.subarray(start));
        return nothing;
      }
      this.#isInFrame = true;
      return bytes.subarray(start + length);
    }
    this.#emitText(bytes);
    return nothing;
  }

  #readFrame(bytes: Buffer): Buffer {
    const end = bytes.indexOf(lineFeed);
    this.#frame.add(end === -1 ? bytes : bytes.subarray(0, end));
    if (this.#frame.length > this.#maxFrameBytes || this.#frame.isCut) {
      this.#isClosed = true;
      this.#frame.take();
      this.#listener.onOversizedFrame();
      return nothing;
    }
    if (end === -1) return nothing;
    this.#isInFrame = false;
    this.#emitFrame();
    return bytes.subarray(end + 1);
  }

  #emitFrame(): void {
    const cost = this.#frame.cost + this.#frame.length;
    const bytes = this.#frame.take();
    // One that is cut has ended the reading.
    if (!Buffer.isBuffer(bytes)) return;
    this.#listener.onFrame(bytes.toString(), cost);
  }

  #emitText(bytes: Buffer): void {
    const text = this.#textDecoder.decode(bytes, { stream: true });
    if (text) this.#listener.onText(text);
  }
}
