import { createInterface } from 'node:readline/promises';
import type { WriteStream } from 'node:tty';

import { printable, printableJson } from '@code-executor/contracts';

type Stream = NodeJS.WritableStream & Partial<WriteStream>;

/** Where a command writes: results to stdout, everything else to stderr. */
export class Terminal {
  readonly #out: Stream;
  readonly #err: Stream;
  #hasProgress = false;

  constructor(out: Stream = process.stdout, err: Stream = process.stderr) {
    this.#out = out;
    this.#err = err;
  }

  /** A result. */
  print(text: string): void {
    this.#out.write(text);
  }

  /** A result as JSON. */
  printJson(value: unknown): void {
    this.print(`${printableJson(value)}\n`);
  }

  /** Something the user should know, on a line of its own. */
  note(text: string): void {
    this.#endProgress();
    this.#err.write(`code-executor: ${printable(text, '\n')}\n`);
  }

  /** Why the command failed. */
  fail(text: string): void {
    this.#endProgress();
    const label = this.#err.hasColors?.() ? '\u001b[31mcode-executor:\u001b[39m' : 'code-executor:';
    this.#err.write(`${label} ${printable(text, '\n')}\n`);
  }

  /** Shows the progress of a download: on a terminal as one line that changes, elsewhere as one line at the end. */
  progress(fileName: string, receivedBytes: number, totalBytes?: number): void {
    const name = printable(fileName);
    const isComplete = receivedBytes === totalBytes;
    if (!this.#err.isTTY) {
      if (isComplete) this.#err.write(`Fetched ${name} (${megabytes(receivedBytes)})\n`);
      return;
    }
    const total = totalBytes === undefined ? '' : ` of ${megabytes(totalBytes)}`;
    this.#err.write(`\r\u001b[KFetching ${name}: ${megabytes(receivedBytes)}${total}`);
    this.#hasProgress = true;
    if (isComplete) this.#endProgress();
  }

  /** Whether there is a terminal at which to ask the user. */
  get canAsk(): boolean {
    return process.stdin.isTTY && this.#err.isTTY === true;
  }

  /** True if the user answers yes; every other answer is a no. */
  async ask(question: string): Promise<boolean> {
    const lines = createInterface({ input: process.stdin, output: this.#err });
    try {
      const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      lines.close();
    }
  }

  /** For headings on stdout. */
  readonly bold = (text: string): string => (this.#out.hasColors?.() ? `\u001b[1m${text}\u001b[22m` : text);

  #endProgress(): void {
    if (this.#hasProgress) this.#err.write('\n');
    this.#hasProgress = false;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
