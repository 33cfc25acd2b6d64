import { basename } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';

import { openToRead, reasonOf } from './open-file.js';
import { type Line, readLines } from './read-lines.js';

/** What a log holds beside its entries. */
export interface BadLine {
  /** The name of the file, without its folder. */
  file: string;
  /** Counted from 1; 0 for a file that cannot be read. */
  line: number;
  /** What is wrong with it, as in "it is not JSON". */
  reason: string;
}

/** The entries in the lines of a file, some at a time; empty lines are ignored. */
export async function* readEntries<Entry extends object>(
  path: string,
  order: 'oldest' | 'newest',
  isEntry: (value: object) => value is Entry,
  onBadLine: (line: BadLine) => void,
): AsyncGenerator<Entry[]> {
  const file = basename(path);
  try {
    const handle = await openToRead(path);
    try {
      for await (const lines of readLines(handle, order)) {
        yield lines.flatMap((line) => {
          const value = parse(line);
          if (typeof value === 'object' && isEntry(value)) return [value];
          const reason = typeof value === 'string' ? value : 'it is no record of this log';
          if (reason !== '') onBadLine({ file, line: line.number, reason });
          return [];
        });
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    // The file has expired since the folder was read.
    if (systemCodeOf(error) === 'ENOENT') return;
    onBadLine({ file, line: 0, reason: reasonOf(error) });
  }
}

/** The object, or what is wrong with it: an empty text for an empty line. */
function parse({ bytes, isFinished }: Line): object | string {
  if (!bytes) return 'it is longer than 1 MiB';
  if (bytes.length === 0) return '';
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    return 'it is no JSON object';
  } catch {
    return isFinished ? 'it is no JSON' : 'it breaks off';
  }
}
