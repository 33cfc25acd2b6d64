import type { CutMessage, MessageBuffer } from '@code-executor/pipes';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const endOfLine = Buffer.of(lineFeed);

/**
 * Cuts an event stream into its events. Each is a whole piece of an event stream, with line feeds only, so that its
 * readers need not join chunks. Of an event that is too expensive to parse, only its two ends come out.
 */
export class EventReader {
  readonly #event: MessageBuffer;
  #isLineEmpty = true;
  #isAfterReturn = false;

  constructor(event: MessageBuffer) {
    this.#event = event;
  }

  /** Bytes so far of the event that has not ended. */
  get pendingBytes(): number {
    return this.#event.length;
  }

  /** The stream is over. */
  drop(): void {
    this.#event.drop();
  }

  push(chunk: Uint8Array): (Buffer | CutMessage)[] {
    const events: (Buffer | CutMessage)[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (byte === lineFeed && this.#isAfterReturn) {
        // The two are one end of a line.
        this.#isAfterReturn = false;
        start = index + 1;
      } else if (byte === lineFeed || byte === carriageReturn) {
        this.#isAfterReturn = byte === carriageReturn;
        this.#addToLine(bytes.subarray(start, index));
        start = index + 1;
        if (!this.#isLineEmpty) this.#endLine();
        else if (this.#event.length > 0) events.push(this.#takeEvent());
      } else this.#isAfterReturn = false;
    }
    this.#addToLine(bytes.subarray(start));
    return events;
  }

  #addToLine(part: Buffer): void {
    if (part.length === 0) return;
    this.#isLineEmpty = false;
    this.#event.add(part);
  }

  #endLine(): void {
    this.#event.add(endOfLine);
    this.#event.endLine();
    this.#isLineEmpty = true;
  }

  #takeEvent(): Buffer | CutMessage {
    this.#event.add(endOfLine);
    const event = this.#event.take();
    // The buffer is used again for the next event.
    return Buffer.isBuffer(event) ? Buffer.from(event) : event;
  }
}
