import { CodeExecutorError } from '@code-executor/contracts';

import { LineWriter } from './line-writer.js';
import { listFiles, type LogFile, type LogPlace, utcDate } from './log-files.js';
import { unlinkAnyway } from './make-room.js';
import { reasonOf } from './open-file.js';
import { type BadLine, readEntries } from './read-entries.js';
import { maxLineBytes } from './read-lines.js';

const dayMs = 86_400_000;

/**
 * `{ directory, prefix }`: files for each UTC day, `<prefix>-YYYY-MM-DD.jsonl`, then `<prefix>-YYYY-MM-DD_2.jsonl` and
 * so on. `{ file }`: that one.
 */
export type JsonlLogOptions<Entry> = LogPlace & {
  /**
   * What all files of the folder may have together, in bytes: the oldest are removed. A file of a day has up to an
   * eighth of that before the next one begins. One file for all days is not written any more when it has as much.
   * Default: no limit.
   */
  maxBytes?: number;
  /** When an entry happened: decides its file, and whether `read` yields it; an invalid date for what is no entry. */
  timeOf: (entry: Entry) => Date;
};

export interface ReadOptions {
  /** Which come first; within a file, entries are in the order in which they were appended. Default: `oldest`. */
  order?: 'oldest' | 'newest';
  /** Entries of this time and later ones. Default: all. */
  since?: Date;
  /** Entries of this time and earlier ones. Default: all. */
  until?: Date;
  /** Told about files that are read. */
  onFile?: (file: string) => void;
  /** Told about lines and files that hold no entry; they are left out. */
  onBadLine?: (line: BadLine) => void;
}

export interface Retention {
  /** Files whose last moment is longer ago are removed. */
  days: number;
  /** Default: the clock's time. */
  now?: Date;
}

/**
 * JSON objects as lines of files, which any number of logs and processes may share. Nothing is opened before it is
 * used, and nothing stays open.
 */
export class JsonlLog<Entry extends object> {
  readonly #place: LogPlace;
  readonly #timeOf: (entry: Entry) => Date;
  readonly #writer: LineWriter;
  #isClosed = false;

  constructor(options: JsonlLogOptions<Entry>) {
    this.#place = options;
    this.#timeOf = options.timeOf;
    this.#writer = new LineWriter(options, options.maxBytes ?? Infinity);
  }

  /**
   * Resolves when the entry is in its file; you need not wait for that. Rejects with `failed_precondition` when
   * that cannot be written or the log is closed, `resource_exhausted` when too much waits for the disk,
   * `invalid_argument` for an entry that has no time, is no JSON or longer than 1 MiB.
   */
  async append(entry: Entry): Promise<void> {
    if (this.#isClosed) {
      throw new CodeExecutorError('failed_precondition', 'The log is closed; open another.');
    }
    const date = this.#dateOf(entry);
    if (date === undefined) {
      throw new CodeExecutorError('invalid_argument', 'The record has no time; give it one.');
    }
    await this.#writer.write(date, toLine(entry));
  }

  /** The entries, some at a time in memory. Rejects with `failed_precondition` when the folder cannot be read. */
  async *read(options: ReadOptions = {}): AsyncGenerator<Entry, void, undefined> {
    const { order = 'oldest', since, until, onFile, onBadLine = () => {} } = options;
    const files = await this.#files(since, until);
    if (order === 'newest') files.reverse();
    // Whoever can write the file decides what is in it; whether that is an entry is for `timeOf` to find out.
    const isEntry = (value: object): value is Entry => this.#dateOf(value as Entry) !== undefined;
    for (const { path, name } of files) {
      onFile?.(name);
      for await (const entries of readEntries(path, order, isEntry, onBadLine)) {
        for (const entry of entries) {
          const time = this.#timeOf(entry);
          if ((!since || time >= since) && (!until || time <= until)) yield entry;
        }
      }
    }
  }

  /**
   * Removes the files of days that are over for longer, resolves with how many, and after them the oldest of those
   * that are too much for `maxBytes`. One file for all days stays as it is. Rejects with `failed_precondition` when a file cannot be removed.
   */
  async prune({ days, now = new Date() }: Retention): Promise<number> {
    const isExpired = ({ date }: LogFile) =>
      date !== undefined && Date.parse(date) + (days + 1) * dayMs <= now.getTime();
    const expired = (await this.#files()).filter(isExpired);
    let count = 0;
    for (const { path, name } of expired) {
      try {
        if (await unlinkAnyway(path)) count++;
      } catch (error) {
        throw unusable(`${name} is past its time and cannot be removed`, error);
      }
    }
    try {
      await this.#writer.makeRoom();
    } catch (error) {
      throw unusable('The log is larger than it may be, and its oldest file cannot be removed', error);
    }
    return count;
  }

  /** Resolves when everything appended so far is written or rejected. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Like `flush`; later appends reject. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.flush();
  }

  async #files(since?: Date, until?: Date): Promise<LogFile[]> {
    const [first = '', last = '~'] = [since && utcDate(since), until && utcDate(until)];
    try {
      const files = await listFiles(this.#place);
      return files.filter(({ date }) => date === undefined || (date >= first && date <= last));
    } catch (error) {
      throw unusable('The folder of the log cannot be read', error);
    }
  }

  #dateOf(entry: Entry): string | undefined {
    try {
      return utcDate(this.#timeOf(entry));
    } catch {
      return undefined;
    }
  }
}

function toLine(entry: object): Buffer {
  let line: Buffer;
  try {
    line = Buffer.from(`${JSON.stringify(entry)}\n`);
  } catch (cause) {
    throw new CodeExecutorError('invalid_argument', 'The record is no JSON; give it plain values.', {
      cause,
    });
  }
  if (line.length <= maxLineBytes) return line;
  throw new CodeExecutorError('invalid_argument', 'The record is longer than 1 MiB; shorten it.');
}

function unusable(what: string, cause: unknown): CodeExecutorError {
  const message = `${what}: ${reasonOf(cause)}; see to that place.`;
  return new CodeExecutorError('failed_precondition', message, { cause });
}
