import { JsonMeter, maxJsonDepth } from './json-meter.js';

const nothing = Buffer.alloc(0);
/** How many bytes remain of each end of a message that is cut. */
const endBytes = 256;

/** A message that must not be parsed: only its two ends are left. */
export interface CutMessage {
  head: string;
  tail: string;
  /** It was not too expensive itself, but other buffers took the memory that they share. */
  isCrowded?: true;
}

/** Memory that several buffers share. */
export interface SharedMemory {
  /** Sets how many bytes a buffer takes; false if there is no room for them. 0 releases all, and always succeeds. */
  resize(bytes: number): boolean;
}

/**
 * Collects the bytes of one JSON message after another, as they arrive. A message that would cost more than allowed
 * once parsed is cut at once: of its bytes, only those at its two ends are kept.
 */
export class MessageBuffer {
  readonly #maxCost: number;
  #meter = new JsonMeter();
  /** One buffer that grows, so that a sender of single bytes does not cause an allocation for each. */
  #bytes: Buffer = nothing;
  /** Bytes of the message so far, including those that were cut. */
  #length = 0;
  #cut: { head: Buffer; tail: Buffer; isCrowded: boolean } | undefined;
  readonly #memory: SharedMemory | undefined;

  /**
   * @param maxCost - What a message may cost, as {@link JsonMeter} computes it; its depth is limited, too.
   * @param memory - Asked before the buffer takes more than 64 KB. A caller that passes it calls `drop` in the end.
   */
  constructor(maxCost: number, memory?: SharedMemory) {
    this.#maxCost = maxCost;
    this.#memory = memory;
  }

  /** Bytes of the message so far, including those that were cut. */
  get length(): number {
    return this.#length;
  }

  /** What the message costs so far; it does not grow any more once the message is cut. */
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

  /** Ends a line of the message: no JSON string continues in the next line. */
  endLine(): void {
    this.#meter.endLine();
  }

  /** Ends the message and begins the next one. Use the bytes at once, because the next message overwrites them. */
  take(): Buffer | CutMessage {
    const cut = this.#cut;
    const bytes = this.#bytes.subarray(0, this.#length);
    // The memory of a large message is released.
    if (cut || this.#bytes.length > keptBytes) this.#giveBack();
    this.#length = 0;
    this.#cut = undefined;
    this.#meter = new JsonMeter();
    if (!cut) return bytes;
    const { head, tail, isCrowded } = cut;
    return { head: head.toString(), tail: tail.toString(), ...(isCrowded && { isCrowded }) };
  }

  /** Discards the message so far, if no more bytes will come. */
  drop(): void {
    this.#giveBack();
    this.#length = 0;
  }

  /** False if there is no memory for it. */
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

/** A buffer of up to this size is reused for the next message. */
const keptBytes = 64 * 1024;

function firstOf(bytes: Buffer, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, endBytes), more.subarray(0, endBytes)]).subarray(0, endBytes);
}

function lastOf(bytes: Buffer, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(-endBytes), more.subarray(-endBytes)]).subarray(-endBytes);
}
