import { type HiddenPaths, PathHider } from './hide-paths.js';
import { OutputBuffer } from './output-buffer.js';

export interface ProgramOutputOptions {
  maxChars: number;
  hiddenPaths: HiddenPaths;
  /** Called with each piece, as soon as it can be shown. */
  onText: (text: string) => void;
}

/** What a program prints on one stream, without host paths. It is shown as it arrives, and kept up to a limit. */
export class ProgramOutput {
  readonly #hider: PathHider;
  readonly #buffer: OutputBuffer;
  readonly #onText: (text: string) => void;

  constructor({ maxChars, hiddenPaths, onText }: ProgramOutputOptions) {
    this.#hider = new PathHider(hiddenPaths);
    this.#buffer = new OutputBuffer(maxChars);
    this.#onText = onText;
  }

  get isTruncated(): boolean {
    return this.#buffer.isTruncated;
  }

  push(text: string): void {
    this.#show(this.#hider.push(text));
  }

  /** Ends the output, and returns the text that was kept. */
  end(): string {
    this.#show(this.#hider.end());
    return this.#buffer.toString();
  }

  #show(text: string): void {
    if (text === '') return;
    this.#buffer.push(text);
    this.#onText(text);
  }
}
