import { MessageBuffer } from '@code-executor/pipes';

/** The record separator of RFC 7464. It cannot occur inside JSON text, so it safely begins a frame. */
const separator = 0x1e;
const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);
/** The size of one frame from the sandbox, in bytes. The bootstrap refuses to send larger ones. */
export const maxFrameBytes = 1024 * 1024;
/**
 * What a frame may cost, as `JsonMeter` computes it. The bootstrap refuses to send more expensive ones. A megabyte of a
 * usual table costs five megabytes; a megabyte of `{}`, twenty-five.
 */
export const maxFrameCost = 6 * 1024 * 1024;

/** Called with the parts of a sandboxed process's output. */
export interface FrameReaderListener {
  /** The text of a frame, which may be anything; `cost` is what it takes at most, parsed and as text, in bytes. */
  onFrame(json: string, cost: number): void;
  /** Everything that is not a frame: what the program printed. */
  onText(text: string): void;
  /** A frame is longer than the limit, or too expensive to be parsed. Nothing more is read. */
  onOversizedFrame(): void;
}

/**
 * Splits the raw bytes of a sandboxed process into frames and printed text. A frame is the record separator, the nonce,
 * JSON text and a line feed; everything else is text, even if it looks like a frame. The nonce distinguishes the frames
 * of the bootstrap from such bytes that a program prints, by accident or to forge a frame. No wall depends on the nonce
 * being secret.
 */
export class FrameReader {
  readonly #marker: Buffer;
  readonly #maxFrameBytes: number;
  readonly #listener: FrameReaderListener;
  readonly #textDecoder = new TextDecoder();
  /** The beginning of a marker at the end of what has arrived; shorter than a marker. */
  #begun: Buffer = nothing;
  /** A frame, without its marker. */
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

  /** Ends the stream; an unfinished frame counts as text. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const begun = this.#isInFrame ? this.#frame.take() : this.#begun;
    if (Buffer.isBuffer(begun))
      this.#emitText(this.#isInFrame ? Buffer.concat([this.#marker, begun]) : begun);
    const last = this.#textDecoder.decode();
    if (last) this.#listener.onText(last);
  }

  /** Reports all text up to the next marker in one piece, even if parts of it begin like a marker. */
  #readText(bytes: Buffer): Buffer {
    for (
      let start = bytes.indexOf(separator);
      start !== -1;
      start = bytes[start + 1] === separator ? start + 1 : bytes.indexOf(separator, start + 1)
    ) {
      const length = Math.min(this.#marker.length, bytes.length - start);
      // Check the second byte first, because comparing costs more, and a program may print only separators.
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
    // Never true: reading has ended at a frame that was cut.
    if (!Buffer.isBuffer(bytes)) return;
    this.#listener.onFrame(bytes.toString(), cost);
  }

  #emitText(bytes: Buffer): void {
    const text = this.#textDecoder.decode(bytes, { stream: true });
    if (text) this.#listener.onText(text);
  }
}
