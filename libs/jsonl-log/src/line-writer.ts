import { basename } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import { appendLines } from './append-lines.js';
import { reasonOf } from './open-file.js';

/** Lines wait in memory while a disk is slow; beyond this they are refused. In bytes. */
const maxWaitingBytes = 16 * 1024 * 1024;

interface WaitingLine {
  path: string;
  bytes: Buffer;
  resolve: () => void;
  reject: (error: CodeExecutorError) => void;
}

/** Writes lines in the order in which they come: all that came within a turn, or during the write before, at once. */
export class LineWriter {
  #waiting: WaitingLine[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;

  /** Resolves when the line is in the file. */
  write(path: string, bytes: Buffer): Promise<void> {
    if (this.#waitingBytes + bytes.length > maxWaitingBytes) {
      throw new CodeExecutorError(
        'resource_exhausted',
        `The record was not written to ${basename(path)}: ${maxWaitingBytes / 1024 / 1024} MB of others wait for the disk; find out what slows it down.`,
      );
    }
    this.#waitingBytes += bytes.length;
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ path, bytes, resolve, reject });
    });
    this.#writing ??= this.#writeAll();
    return written;
  }

  /** Resolves when every line so far is written, or refused. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      for (const [path, group] of byPath(lines)) await writeGroup(path, group);
    } while (this.#waiting.length > 0);
    this.#writing = undefined;
  }
}

function byPath(lines: readonly WaitingLine[]): Map<string, WaitingLine[]> {
  const groups = new Map<string, WaitingLine[]>();
  for (const line of lines) {
    const group = groups.get(line.path);
    if (group) group.push(line);
    else groups.set(line.path, [line]);
  }
  return groups;
}

async function writeGroup(path: string, lines: readonly WaitingLine[]): Promise<void> {
  const { written, reason } = await appendLines(
    path,
    lines.map(({ bytes }) => bytes),
  );
  for (const line of lines.slice(0, written)) line.resolve();
  if (written === lines.length) return;
  const message = `The record was not written to ${basename(path)}: ${reasonOf(reason)}; see to that place, or choose another.`;
  const error = new CodeExecutorError('failed_precondition', message, { cause: reason });
  for (const line of lines.slice(written)) line.reject(error);
}
