/** RFC 7464's record separator: it cannot occur inside JSON text, so it safely begins a frame. */
const separator = 0x1e;
const lineFeed = 0x0a;

/** What a stream of a sandboxed process consists of. */
export interface FrameReaderListener {
  /** The JSON text of a frame; it may be anything. */
  onFrame(json: string): void;
  /** Everything that is not a frame: what the program printed. */
  onText(text: string): void;
  /** A frame longer than the limit; nothing more is read. */
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
  readonly #frameDecoder = new TextDecoder('utf-8', { fatal: true });
  /** Bytes from a separator on that may become a frame; empty outside of one. */
  #frame: Buffer[] = [];
  #frameLength = 0;
  #isClosed = false;

  constructor(nonce: string, maxFrameBytes: number, listener: FrameReaderListener) {
    this.#marker = Buffer.concat([Buffer.of(separator), Buffer.from(nonce)]);
    this.#maxFrameBytes = maxFrameBytes;
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && !this.#isClosed) {
      rest = this.#frameLength === 0 ? this.#readText(rest) : this.#readFrame(rest);
    }
  }

  /** The stream is over: what was begun is text. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#emitText(this.#takeFrame());
    const last = this.#textDecoder.decode();
    if (last) this.#listener.onText(last);
  }

  #readText(bytes: Buffer): Buffer {
    const start = bytes.indexOf(separator);
    if (start === -1) {
      this.#emitText(bytes);
      return bytes.subarray(bytes.length);
    }
    this.#emitText(bytes.subarray(0, start));
    this.#append(bytes.subarray(start, start + 1));
    return bytes.subarray(start + 1);
  }

  #readFrame(bytes: Buffer): Buffer {
    if (this.#frameLength < this.#marker.length) return this.#readMarker(bytes);
    const end = bytes.indexOf(lineFeed);
    const piece = end === -1 ? bytes : bytes.subarray(0, end);
    this.#append(piece);
    if (this.#frameLength - this.#marker.length > this.#maxFrameBytes) {
      this.#isClosed = true;
      this.#takeFrame();
      this.#listener.onOversizedFrame();
    } else if (end !== -1) {
      this.#emitFrame(this.#takeFrame());
      return bytes.subarray(end + 1);
    }
    return bytes.subarray(piece.length);
  }

  /** Compares byte by byte, so that text which only begins like a frame is never held back for long. */
  #readMarker(bytes: Buffer): Buffer {
    const missing = this.#marker.subarray(this.#frameLength);
    const piece = bytes.subarray(0, missing.length);
    if (piece.equals(missing.subarray(0, piece.length))) {
      this.#append(piece);
      return bytes.subarray(piece.length);
    }
    // No frame. Only the separator is text for sure: another frame may begin right behind it.
    const text = Buffer.concat([this.#takeFrame(), bytes]);
    this.#emitText(text.subarray(0, 1));
    return text.subarray(1);
  }

  #append(piece: Buffer): void {
    this.#frame.push(piece);
    this.#frameLength += piece.length;
  }

  #takeFrame(): Buffer {
    const bytes = Buffer.concat(this.#frame);
    this.#frame = [];
    this.#frameLength = 0;
    return bytes;
  }

  #emitFrame(bytes: Buffer): void {
    let json: string;
    try {
      json = this.#frameDecoder.decode(bytes.subarray(this.#marker.length));
    } catch {
      this.#emitText(bytes);
      this.#emitText(Buffer.of(lineFeed));
      return;
    }
    this.#listener.onFrame(json);
  }

  #emitText(bytes: Buffer): void {
    const text = this.#textDecoder.decode(bytes, { stream: true });
    if (text) this.#listener.onText(text);
  }
}
