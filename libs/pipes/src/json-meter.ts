/** Deeper values overflow recursive code (`JSON.stringify` between 4,000 and 8,000 levels). */
export const maxJsonDepth = 200;

/** Bytes of memory, in addition to the text: for an array, an object or a member of an object, and for other values. */
const containerCost = 64;
const valueCost = 8;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

/**
 * Computes what JSON text costs before it is parsed, from its bytes as they arrive. The size of a text says little about
 * its cost for the process that parses it: once parsed, the three bytes `{},` take twenty times as much memory, and
 * parsing them takes much time, too. The text need not be valid JSON.
 */
export class JsonMeter {
  #cost = 0;
  #depth = 0;
  #deepest = 0;
  #isInString = false;
  #isEscaped = false;

  /** Bytes of memory that the text takes once parsed: its own length, and a fixed amount for each value in it. */
  get cost(): number {
    return this.#cost;
  }

  /** How deep arrays and objects nest. */
  get depth(): number {
    return this.#deepest;
  }

  /** Ends a line of the text: no JSON string continues in the next line. */
  endLine(): void {
    this.#isInString = false;
    this.#isEscaped = false;
  }

  /** Counts the next bytes of the text, in UTF-8. */
  add(bytes: Uint8Array): void {
    let isInString = this.#isInString;
    let index = 0;
    if (this.#isEscaped && bytes.length > 0) {
      this.#isEscaped = false;
      index = 1;
    }
    let containers = 0;
    let others = 0;
    for (; index < bytes.length; index++) {
      const byte = bytes[index];
      if (isInString) {
        if (byte === quote) isInString = false;
        else if (byte === backslash) index++;
        continue;
      }
      switch (byte) {
        case quote:
          isInString = true;
          break;
        case comma:
          others++;
          break;
        case colon:
          containers++;
          break;
        case 0x5b: // [
        case 0x7b: // {
          containers++;
          if (++this.#depth > this.#deepest) this.#deepest = this.#depth;
          break;
        case 0x5d: // ]
        case 0x7d: // }
          this.#depth--;
          break;
        default:
      }
    }
    this.#isInString = isInString;
    // The last byte was a backslash, which escapes the first byte of the next call.
    this.#isEscaped = index > bytes.length;
    this.#cost += bytes.length + containers * containerCost + others * valueCost;
  }
}

/** Computes the cost and the depth of a complete text; see {@link JsonMeter}. */
export function meterJson(text: string): { cost: number; depth: number } {
  const meter = new JsonMeter();
  meter.add(Buffer.from(text));
  return meter;
}
