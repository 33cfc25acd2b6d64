import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Where a log lies: one file for each UTC day in a folder, or one file for all days. */
export type LogPlace = { directory: string; prefix: string } | { file: string };

export interface LogFile {
  path: string;
  /** Without its folder. */
  name: string;
  /** `YYYY-MM-DD`; absent where one file holds all days. */
  date?: string;
}

const suffix = '.jsonl';

/** `YYYY-MM-DD` in UTC, or nothing for what is no date or beyond the year 9999. */
export function utcDate(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time.toISOString().slice(0, 10) : undefined;
}

/** The file for the records of a day. */
export function fileOf(place: LogPlace, date: string): string {
  return 'file' in place ? place.file : join(place.directory, `${place.prefix}-${date}${suffix}`);
}

/** The files that there are, oldest first; other files of the folder are not the log's business. */
export async function listFiles(place: LogPlace): Promise<LogFile[]> {
  try {
    if ('file' in place) {
      await lstat(place.file);
      return [{ path: place.file, name: basename(place.file) }];
    }
    const files = (await readdir(place.directory)).flatMap((name): LogFile[] => {
      const date = dateOf(name, place.prefix);
      return date === undefined ? [] : [{ path: join(place.directory, name), name, date }];
    });
    return files.sort((one, other) => (one.path < other.path ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function dateOf(name: string, prefix: string): string | undefined {
  if (!name.startsWith(`${prefix}-`) || !name.endsWith(suffix)) return undefined;
  const date = name.slice(prefix.length + 1, -suffix.length);
  return /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date)) ? date : undefined;
}
