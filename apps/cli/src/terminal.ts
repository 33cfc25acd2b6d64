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

  /** How far a file has come; on a terminal one line that changes, elsewhere one line when it is there. */
  progress(fileName: string, receivedBytes: number, totalBytes?: number): void {
    const name = printable(fileName);
    const isThere = receivedBytes === totalBytes;
    if (!this.#err.isTTY) {
      if (isThere) this.#err.write(`Fetched ${name} (${megabytes(receivedBytes)})\n`);
      return;
    }
    const total = totalBytes === undefined ? '' : ` of ${megabytes(totalBytes)}`;
    this.#err.write(`\r\u001b[KFetching ${name}: ${megabytes(receivedBytes)}${total}`);
    this.#hasProgress = true;
    if (isThere) this.#endProgress();
  }

  /** Whether a person is there to ask. */
  get canAsk(): boolean {
    return process.stdin.isTTY && this.#err.isTTY === true;
  }

  /** True where the person says yes; everything else is no. */
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
