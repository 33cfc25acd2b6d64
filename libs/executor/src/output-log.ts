import { EventEmitter, once } from 'node:events';

import type { OutputChunk } from '@code-executor/contracts';

/** What a reader gets at once. */
export interface OutputPage {
  chunks: OutputChunk[];
  /** Where to read on: the number of characters that were printed up to here, in both streams together. */
  nextOffset: number;
  /** Characters before these chunks that were asked for and are not kept any more. */
  omitted: number;
  /** Whether nothing will follow. */
  isComplete: boolean;
}

/** The most that is kept, in characters; the oldest go first. */
const maxChars = 1_000_000;
/** What a piece takes beside its text: a program may change between its streams with every character. */
const charsPerPiece = 64;
/** Short pieces are kept together: a million pieces of one character would take a hundred times their size. */
const pieceChars = 4096;

interface Piece extends OutputChunk {
  offset: number;
}

/** What an execution prints, for any number of readers, each at its own place. */
export class OutputLog {
  readonly #pieces: Piece[] = [];
  #end = 0;
  #isComplete = false;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** What is kept takes so much memory, in characters. */
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

  /** Nothing follows. */
  complete(): void {
    this.#isComplete = true;
    this.#tell();
  }

  /** What there is from an offset on. */
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

  /** The same, as soon as there is something or nothing will follow, and after `waitMs` in any case. */
  async waitFor(fromOffset: number, waitMs: number): Promise<OutputPage> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), waitMs);
    const { signal } = limit;
    while (!signal.aborted && !this.#isComplete && this.#end <= fromOffset) {
      // It rejects when the time is over, which the condition sees.
      await once(this.#changes, 'change', { signal }).catch(() => undefined);
    }
    clearTimeout(timer);
    return this.read(fromOffset);
  }

  #tell(): void {
    this.#changes.emit('change');
  }
}
