import { EventEmitter, once } from 'node:events';

import type { OutputChunk } from '@code-executor/contracts';

/** The output that a reader gets in one piece. */
export interface OutputPage {
  chunks: OutputChunk[];
  /** The offset to continue at: the number of characters printed so far, in both streams together. */
  nextOffset: number;
  /** The number of requested characters before these chunks that are no longer kept. */
  omitted: number;
  /** Whether this is the end of the output. */
  isComplete: boolean;
}

/** The limit of the kept output, in characters; the oldest pieces go first. */
const maxChars = 1_000_000;
/** The cost of a piece besides its text, because a program may switch between its streams with every character. */
const charsPerPiece = 64;
/** Short pieces are joined, because a million pieces of one character would take a hundred times their size. */
const pieceChars = 4096;

interface Piece extends OutputChunk {
  offset: number;
}

/** The output of an execution, for any number of readers, each with its own offset. */
export class OutputLog {
  readonly #pieces: Piece[] = [];
  #end = 0;
  #isComplete = false;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** The memory that the kept output takes, in characters. */
  get size(): number {
    const first = this.#pieces[0]?.offset ?? this.#end;
    return this.#end - first + this.#pieces.length * charsPerPiece;
  }

  push({ stream, text }: OutputChunk): void {
    const last = this.#pieces.at(-1);
    if (last?.stream === stream && last.text.length + text.length <= pieceChars) last.text += text;
    else this.#pieces.push({ stream, text, offset: this.#end });
    this.#end += text.length;
    while (this.size > maxChars && this.#pieces.length > 1) this.#pieces.shift();
    this.#tell();
  }

  /** Marks the end of the output. */
  complete(): void {
    this.#isComplete = true;
    this.#tell();
  }

  /** The output from an offset on. */
  read(fromOffset: number): OutputPage {
    const first = this.#pieces[0]?.offset ?? this.#end;
    const chunks = this.#pieces
      .filter(({ offset, text }) => offset + text.length > fromOffset)
      .map(({ stream, text, offset }) => ({ stream, text: text.slice(Math.max(0, fromOffset - offset)) }));
    return {
      chunks,
      nextOffset: Math.max(fromOffset, this.#end),
      omitted: Math.max(0, first - fromOffset),
      isComplete: this.#isComplete,
    };
  }

  /** The same, as soon as there is output or the output has ended, and after `waitMs` at the latest. */
  async waitFor(fromOffset: number, waitMs: number): Promise<OutputPage> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), waitMs);
    const { signal } = limit;
    while (!signal.aborted && !this.#isComplete && this.#end <= fromOffset) {
      // It rejects at the deadline, which the condition of the loop checks.
      await once(this.#changes, 'change', { signal }).catch(() => undefined);
    }
    clearTimeout(timer);
    return this.read(fromOffset);
  }

  #tell(): void {
    this.#changes.emit('change');
  }
}
