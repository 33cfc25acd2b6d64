import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { type BadLine, JsonlLog, type ReadOptions } from './index.js';

export interface Entry {
  at: string;
  n?: number;
  text?: string;
}

export let folder: string;
export let directory: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jsonl-log-'));
  directory = join(folder, 'home', 'logs');
});
afterEach(() => rm(folder, { recursive: true }));

export const timeOf = ({ at }: Entry) => new Date(at);
export const open = () => new JsonlLog<Entry>({ directory, prefix: 'log', timeOf });
export const pathOf = (date: string) => join(directory, `log-${date}.jsonl`);
export const at = '2026-03-01T12:00:00.000Z';
export const file = () => pathOf('2026-03-01');
export const numbers = async (log: JsonlLog<Entry>, options: ReadOptions = {}) => {
  const found: (number | undefined)[] = [];
  for await (const { n } of log.read(options)) found.push(n);
  return found;
};
export const badLines = async (log: JsonlLog<Entry>, order: 'oldest' | 'newest' = 'oldest') => {
  const bad: BadLine[] = [];
  const found = await numbers(log, { order, onBadLine: (line) => bad.push(line) });
  return { found, bad };
};
/** A file that is there before the log is. */
export const place = async (content: string | Buffer) => {
  await mkdir(directory, { recursive: true });
  await writeFile(file(), content);
};
