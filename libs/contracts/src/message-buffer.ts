import { JsonMeter, maxJsonDepth } from './json-meter.js';

const nothing = Buffer.alloc(0);
/** Of a message that is cut, so much remains of its beginning and of its end. */
const endBytes = 256;

/** A message that may not be parsed: only both its ends are known. */
export interface CutMessage {
  head: string;
  tail: string;
}

/**
 * Gathers the bytes of one JSON message after the other, as they arrive. A message that would cost more than
 * allowed once it is parsed is cut, at once: it takes no memory from then on.
 */
export class MessageBuffer {
  readonly #maxCost: number;
  #meter = new JsonMeter();
  /** It grows: a sender that writes single bytes must not make a piece of memory of each. */
  #bytes: Buffer = nothing;
  /** Bytes of the message so far, also of what was cut. */
  #length = 0;
  #cut: { head: Buffer; tail: Buffer } | undefined;

  /** @param maxCost - What a message may cost, as a {@link JsonMeter} tells it; levels are limited, too. */
  constructor(maxCost: number) {
    this.#maxCost = maxCost;
  }

  /** Bytes of the message so far, also of what was cut. */
  get length(): number {
    return this.#length;
  }

  /** What the message costs so far; no more once it is cut. */
  get cost(): number {
    return this.#meter.cost;
  }

  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#cut) {
      this.#cut.tail = lastOf(this.#cut.tail, part);
      return;
    }
    this.#meter.add(part);
    if (this.#meter.cost > this.#maxCost || this.#meter.depth > maxJsonDepth) {
      const kept = this.#bytes.subarray(0, this.#length - part.length);
      this.#cut = { head: firstOf(kept, part), tail: lastOf(kept, part) };
      this.#bytes = nothing;
    } else this.#keep(part);
  }

  /** A line of the message is over: no string goes on in the next one. */
  endLine(): void {
    this.#meter.endLine();
  }

  /** Ends the message, and begins the next one. The bytes are those of this buffer: use them at once. */
  take(): Buffer | CutMessage {
    const cut = this.#cut;
    const bytes = this.#bytes.subarray(0, this.#length);
    // What a large message took is given back.
    if (cut || this.#bytes.length > keptBytes) this.#bytes = nothing;
    this.#length = 0;
    this.#cut = undefined;
    this.#meter = new JsonMeter();
    return cut ? { head: cut.head.toString(), tail: cut.tail.toString() } : bytes;
  }

  #keep(part: Buffer): void {
    const start = this.#length - part.length;
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(
        Math.max(this.#length, Math.min(2 * this.#bytes.length, this.#maxCost)),
      );
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    part.copy(this.#bytes, start);
  }
}

/** A buffer of this size is used again for the next message. */
const keptBytes = 64 * 1024;

function firstOf(bytes: Buffer, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, endBytes), more.subarray(0, endBytes)]).subarray(0, endBytes);
}

function lastOf(bytes: Buffer, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(-endBytes), more.subarray(-endBytes)]).subarray(-endBytes);
}
