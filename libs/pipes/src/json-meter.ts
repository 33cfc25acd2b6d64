/** Deeper values overflow recursive code (`JSON.stringify` between 4,000 and 8,000 levels). */
export const maxJsonDepth = 200;

/** What an array, an object or a member of an object may take in memory beside its text, in bytes, and any other value. */
const containerCost = 64;
const valueCost = 8;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

/**
 * Tells what JSON text costs before anybody parses it, from its bytes as they arrive. Three bytes, `{},`, take
 * twenty times as much memory once they are parsed, and a microsecond of time for every four: sizes of texts
 * say little about what they do to the process that parses them. The text need not be JSON.
 */
export class JsonMeter {
  #cost = 0;
  #depth = 0;
  #deepest = 0;
  #isInString = false;
  #isEscaped = false;

  /** What the text takes in memory once it is parsed, in bytes: its own length, and so much for each value in it. */
  get cost(): number {
    return this.#cost;
  }

  /** Levels of arrays and objects. */
  get depth(): number {
    return this.#deepest;
  }

  /** A line of the text is over: no string of JSON goes on in the next one. */
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
    // The last byte was a backslash: what it escapes comes next.
    this.#isEscaped = index > bytes.length;
    this.#cost += bytes.length + containers * containerCost + others * valueCost;
  }
}

/** {@link JsonMeter} for a text that is there as a whole. */
export function meterJson(text: string): { cost: number; depth: number } {
  const meter = new JsonMeter();
  meter.add(Buffer.from(text));
  return meter;
}
