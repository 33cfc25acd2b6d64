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
   * The limit of all files of the folder together, in bytes: the oldest are removed. A file of a day gets up to an
   * eighth of that before the next one begins. A single file for all days takes no more entries when it is full.
   * Default: no limit.
   */
  maxBytes?: number;
  /** When an entry happened, which decides its file and whether `read` yields it. Return an invalid date for anything that is not an entry. */
  timeOf: (entry: Entry) => Date;
};

export interface ReadOptions {
  /** Which entries come first. Within a file, they are in the order in which they were appended. Default: `oldest`. */
  order?: 'oldest' | 'newest';
  /** Entries of this time and later ones. Default: all. */
  since?: Date;
  /** Entries of this time and earlier ones. Default: all. */
  until?: Date;
  /** Called for each file that is read. */
  onFile?: (file: string) => void;
  /** Called for lines and files that hold no entry; they are left out. */
  onBadLine?: (line: BadLine) => void;
}

export interface Retention {
  /** Files whose day ended longer ago than this are removed. */
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
   * Resolves when the entry is in its file; you need not wait for that. Rejects with `failed_precondition` if the file
   * cannot be written or the log is closed, `resource_exhausted` if too many entries wait for the disk, and
   * `invalid_argument` for an entry that has no time, is not JSON or is longer than 1 MiB.
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

  /** Yields the entries and holds only some of them in memory. Rejects with `failed_precondition` if the folder cannot be read. */
  async *read(options: ReadOptions = {}): AsyncGenerator<Entry, void, undefined> {
    const { order = 'oldest', since, until, onFile, onBadLine = () => {} } = options;
    const files = await this.#files(since, until);
    if (order === 'newest') files.reverse();
    // Anyone who can write the file decides what is in it, so `timeOf` decides whether that is an entry.
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
   * Removes the files of expired days and resolves with their number; then removes the oldest files beyond `maxBytes`.
   * A single file for all days stays as it is. Rejects with `failed_precondition` if a file cannot be removed.
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
        throw unusable(`${name} has expired and cannot be removed`, error);
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
    throw new CodeExecutorError('invalid_argument', 'The record is not JSON; give it plain values.', {
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
