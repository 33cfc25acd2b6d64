import type { CutMessage } from '@code-executor/pipes';

import { maxMessageBytes } from './message-limits.js';
import { ServerMessages } from './unfinished-messages.js';

const newline = 0x0a;

export interface LineListener {
  onLine(line: string): void;
  /** A line that is too expensive to be parsed. */
  onCutLine(line: CutMessage): void;
}

/** Cuts a byte stream into lines, and never keeps more of one than may be parsed. */
export class LineReader {
  readonly #listener: LineListener;
  readonly #line = new ServerMessages().buffer();

  constructor(listener: LineListener) {
    this.#listener = listener;
  }

  /** False if a line is longer than the limit; the reader cannot be used afterwards. */
  push(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (!this.#keep(chunk.subarray(start, end))) return false;
      this.#emit();
      start = end + 1;
    }
    return this.#keep(chunk.subarray(start));
  }

  /** The stream is over. */
  drop(): void {
    this.#line.drop();
  }

  #keep(part: Buffer): boolean {
    this.#line.add(part);
    return this.#line.length <= maxMessageBytes;
  }

  #emit(): void {
    const line = this.#line.take();
    if (!Buffer.isBuffer(line)) {
      this.#listener.onCutLine(line);
      return;
    }
    const text = line.toString();
    if (text.trim() !== '') this.#listener.onLine(text);
  }
}
