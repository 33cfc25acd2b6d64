import type { Writable } from 'node:stream';

import { writeTogether } from './write-together.js';

/** Node reports the messages of a batch as written all at once, when the last of them is. */
const maxBatchBytes = 16 * 1024;

interface Message {
  data: string | Buffer;
  onWritten: () => void;
}

/**
 * Writes as {@link writeTogether} does, but in batches of bounded size, so that its user knows soon which messages were taken:
 * a reader that has taken the first thousand of two thousand may already have answered them.
 */
export class BatchWriter {
  readonly #stream: Writable;
  readonly #waiting: Message[] = [];
  #unwrittenBytes = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Calls `onWritten` once the reader has taken the message, or once the stream is closed. */
  write(data: string | Buffer, onWritten: () => void): void {
    if (this.#unwrittenBytes < maxBatchBytes) this.#pass({ data, onWritten });
    else this.#waiting.push({ data, onWritten });
  }

  #pass({ data, onWritten }: Message): void {
    const bytes = Buffer.byteLength(data);
    this.#unwrittenBytes += bytes;
    writeTogether(this.#stream, data, () => {
      this.#unwrittenBytes -= bytes;
      // First those that wait, so that what `onWritten` writes comes after them.
      while (this.#waiting.length > 0 && this.#unwrittenBytes < maxBatchBytes) {
        this.#pass(this.#waiting.shift() as Message);
      }
      onWritten();
    });
  }
}
