import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';

/** Where a log lies: files for each UTC day in a folder, or one file for all days. */
export type LogPlace = { directory: string; prefix: string } | { file: string };

export interface LogFile {
  path: string;
  /** Without its folder. */
  name: string;
  /** `YYYY-MM-DD`; absent if one file holds all days. */
  date?: string;
  /** Counted from 1: a day has several files where one would become too large. */
  part: number;
}

const suffix = '.jsonl';

/** `YYYY-MM-DD` in UTC; undefined for an invalid date or one beyond the year 9999. */
export function utcDate(time: Date): string | undefined {
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? time.toISOString().slice(0, 10) : undefined;
}

/** A file for the records of a day: `<prefix>-YYYY-MM-DD.jsonl`, then `<prefix>-YYYY-MM-DD_2.jsonl`. */
export function fileOf(place: LogPlace, date: string, part: number): string {
  if ('file' in place) return place.file;
  const name = part === 1 ? date : `${date}_${part}`;
  return join(place.directory, `${place.prefix}-${name}${suffix}`);
}

/** The files of the log, oldest first; other files in the folder are ignored. */
export async function listFiles(place: LogPlace): Promise<LogFile[]> {
  try {
    if ('file' in place) {
      await lstat(place.file);
      return [{ path: place.file, name: basename(place.file), part: 1 }];
    }
    const files = (await readdir(place.directory)).flatMap((name): LogFile[] => {
      const day = dayOf(name, place.prefix);
      return day ? [{ path: join(place.directory, name), name, ...day }] : [];
    });
    return files.sort((one, other) =>
      one.date === other.date ? one.part - other.part : isEarlier(one, other),
    );
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function isEarlier({ date = '' }: LogFile, other: LogFile): number {
  return date < (other.date ?? '') ? -1 : 1;
}

function dayOf(name: string, prefix: string): { date: string; part: number } | undefined {
  if (!name.startsWith(`${prefix}-`) || !name.endsWith(suffix)) return undefined;
  const day = /^(\d{4}-\d\d-\d\d)(?:_([1-9]\d{0,8}))?$/.exec(name.slice(prefix.length + 1, -suffix.length));
  const [, date = '', part = '1'] = day ?? [];
  return Number.isNaN(Date.parse(date)) ? undefined : { date, part: Number(part) };
}
