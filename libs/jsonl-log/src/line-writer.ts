import { basename } from 'node:path';

import { CodeExecutorError, within } from '@code-executor/contracts';

import { appendLines, type FileEnd, fileIsFull } from './append-lines.js';
import { fileOf, listFiles, type LogPlace } from './log-files.js';
import { makeRoom } from './make-room.js';
import { reasonOf } from './open-file.js';

/** Lines wait in memory while the disk is slow; beyond this they are refused. In bytes. */
const maxWaitingBytes = 16 * 1024 * 1024;
/** A disk that needs longer for a write counts as gone, which can happen to a network disk. */
const maxWriteMs = 10_000;
/** The share of `maxBytes` that one file of a day may have. */
const shareOfOneFile = 1 / 8;

interface WaitingLine {
  date: string;
  bytes: Buffer;
  resolve: () => void;
  reject: (error: CodeExecutorError) => void;
}

/** Writes lines in their order. All lines of one turn of the event loop, or of one earlier write, go out together. */
export class LineWriter {
  readonly #place: LogPlace;
  readonly #maxBytes: number;
  #waiting: WaitingLine[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** The file that was written last, and how it ended. */
  #last: { date: string; part: number; end: FileEnd } | undefined;
  /** A write has not returned in time; no other is tried until it returns. */
  #isStuck = false;

  constructor(place: LogPlace, maxBytes: number) {
    this.#place = place;
    this.#maxBytes = maxBytes;
  }

  /** Resolves when the line is in a file of that day. */
  write(date: string, bytes: Buffer): Promise<void> {
    if (this.#isStuck) throw unanswered(this.#place, date);
    if (this.#waitingBytes + bytes.length > maxWaitingBytes) {
      throw new CodeExecutorError(
        'resource_exhausted',
        `The record was not written to ${nameOf(this.#place, date)}: ${maxWaitingBytes / 1024 / 1024} MB of others wait for the disk; find out what slows it down.`,
      );
    }
    this.#waitingBytes += bytes.length;
    const written = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ date, bytes, resolve, reject });
    });
    this.#writing ??= this.#writeAll();
    return written;
  }

  /** Resolves when every line so far is written, or refused. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Removes the oldest files if there are more bytes than allowed. */
  async makeRoom(): Promise<void> {
    const newest = (await listFiles(this.#place)).at(-1);
    if (newest?.date !== undefined) await this.#makeRoomBeside(newest.path);
  }

  async #writeAll(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      for (const [date, group] of byDate(lines)) {
        if (this.#isStuck) refuse(group, unanswered(this.#place, date));
        else
          await this.#inTime(this.#writeGroup(date, group), () =>
            refuse(group, unanswered(this.#place, date)),
          );
      }
    } while (this.#waiting.length > 0);
    this.#writing = undefined;
  }

  /** Resolves at the deadline of a write at the latest. The write then goes on, and other lines are refused meanwhile. */
  async #inTime(work: Promise<void>, onLate: () => void): Promise<void> {
    const isDone = await within(
      maxWriteMs,
      work.then(() => true),
    );
    if (isDone) return;
    this.#isStuck = true;
    void work.finally(() => (this.#isStuck = false));
    onLate();
  }

  async #writeGroup(date: string, lines: readonly WaitingLine[]): Promise<void> {
    let path = fileOf(this.#place, date, 1);
    let from = 0;
    const append = async (part: number, known?: FileEnd): Promise<unknown> => {
      path = fileOf(this.#place, date, part);
      const bytes = lines.slice(from).map((line) => line.bytes);
      const { written, reason, end } = await appendLines(path, bytes, this.#maxFileBytes, known);
      this.#last = end && { date, part, end };
      for (const line of lines.slice(from, from + written)) line.resolve();
      from += written;
      return reason;
    };
    try {
      // If that fails, read the folder: other processes write there, too, and remove old files.
      if (this.#last?.date === date) await append(this.#last.part, this.#last.end);
      if (from === lines.length) return;
      let part = await this.#latestPart(date);
      while (from < lines.length) {
        if (part === undefined) await this.#makeRoomBeside(fileOf(this.#place, date, 1));
        const reason = await append(part ?? 1);
        if (from === lines.length) return;
        if (reason !== fileIsFull || 'file' in this.#place) throw reason;
        part = (part ?? 1) + 1;
        await this.#makeRoomBeside(fileOf(this.#place, date, part));
      }
    } catch (reason) {
      const message = `The record was not written to ${basename(path)}: ${reasonOf(reason)}; see to that place, or choose another.`;
      const error = new CodeExecutorError('failed_precondition', message, { cause: reason });
      refuse(lines.slice(from), error);
    }
  }

  async #latestPart(date: string): Promise<number | undefined> {
    if ('file' in this.#place || this.#maxBytes === Infinity) return 1;
    return (await listFiles(this.#place)).findLast((file) => file.date === date)?.part;
  }

  get #maxFileBytes(): number {
    return 'file' in this.#place ? this.#maxBytes : this.#maxBytes * shareOfOneFile;
  }

  async #makeRoomBeside(path: string): Promise<void> {
    await makeRoom(this.#place, { maxBytes: this.#maxBytes, maxFileBytes: this.#maxFileBytes }, path);
  }
}

function byDate(lines: readonly WaitingLine[]): Map<string, WaitingLine[]> {
  const groups = new Map<string, WaitingLine[]>();
  for (const line of lines) {
    const group = groups.get(line.date);
    if (group) group.push(line);
    else groups.set(line.date, [line]);
  }
  return groups;
}

function refuse(lines: readonly WaitingLine[], error: CodeExecutorError): void {
  for (const line of lines) line.reject(error);
}

function unanswered(place: LogPlace, date: string): CodeExecutorError {
  const message = `The record was not written to ${nameOf(place, date)}: the disk has not answered for ${maxWriteMs / 1000} s; see to that place, or choose another.`;
  return new CodeExecutorError('failed_precondition', message);
}

function nameOf(place: LogPlace, date: string): string {
  return basename(fileOf(place, date, 1));
}
