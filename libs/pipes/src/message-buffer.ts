import { JsonMeter, maxJsonDepth } from './json-meter.js';

const nothing = Buffer.alloc(0);
/** Of a message that is cut, so much remains of its beginning and of its end. */
const endBytes = 256;

/** A message that may not be parsed: only both its ends are known. */
export interface CutMessage {
  head: string;
  tail: string;
  /** It was not too expensive, but others took the memory that it shares with them. */
  isCrowded?: true;
}

/** Memory that several buffers share. */
export interface SharedMemory {
  /** Whether a buffer may take so many bytes from now on. With 0 it gives back what it had, which always may be. */
  resize(bytes: number): boolean;
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
  #cut: { head: Buffer; tail: Buffer; isCrowded: boolean } | undefined;
  readonly #memory: SharedMemory | undefined;

  /**
   * @param maxCost - What a message may cost, as a {@link JsonMeter} tells it; levels are limited, too.
   * @param memory - Asked before more than 64 KB are taken. Whoever gives it calls `drop` in the end.
   */
  constructor(maxCost: number, memory?: SharedMemory) {
    this.#maxCost = maxCost;
    this.#memory = memory;
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
    const isTooExpensive = this.#meter.cost > this.#maxCost || this.#meter.depth > maxJsonDepth;
    if (!isTooExpensive && this.#keep(part)) return;
    const kept = this.#bytes.subarray(0, this.#length - part.length);
    this.#cut = { head: firstOf(kept, part), tail: lastOf(kept, part), isCrowded: !isTooExpensive };
    this.#giveBack();
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
    if (cut || this.#bytes.length > keptBytes) this.#giveBack();
    this.#length = 0;
    this.#cut = undefined;
    this.#meter = new JsonMeter();
    if (!cut) return bytes;
    const { head, tail, isCrowded } = cut;
    return { head: head.toString(), tail: tail.toString(), ...(isCrowded && { isCrowded }) };
  }

  /** Gives up the message so far, where nothing comes any more. */
  drop(): void {
    this.#giveBack();
    this.#length = 0;
  }

  /** False where there is no memory for it. */
  #keep(part: Buffer): boolean {
    const start = this.#length - part.length;
    if (this.#length > this.#bytes.length) {
      const size = Math.max(this.#length, Math.min(2 * this.#bytes.length, this.#maxCost));
      if (size > keptBytes && this.#memory?.resize(size) === false) return false;
      const grown = Buffer.allocUnsafe(size);
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    part.copy(this.#bytes, start);
    return true;
  }

  #giveBack(): void {
    this.#bytes = nothing;
    this.#memory?.resize(0);
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
