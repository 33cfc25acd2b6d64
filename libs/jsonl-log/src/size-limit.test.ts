import { appendFile, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { JsonlLog } from './index.js';
import { endOf, startWriter } from './line-writing.test.support.js';
import {
  type Entry,
  folder,
  directory,
  timeOf,
  open,
  at,
  file,
  numbers,
  badLines,
  place,
} from './log-under-test.test.support.js';

describe('prune', () => {
  test('removes the files of expired days, and no other', async () => {
    const log = open();
    for (let day = 1; day <= 4; day++) await log.append({ at: `2026-03-0${day}T23:59:59.999Z`, n: day });
    expect(await log.prune({ days: 1, now: new Date('2026-03-03T23:59:59.999Z') })).toBe(1);
    expect(await numbers(log)).toEqual([2, 3, 4]);
    expect(await log.prune({ days: 1, now: new Date('2026-03-04T00:00:00.000Z') })).toBe(1);
    expect(await numbers(log)).toEqual([3, 4]);
    expect(await log.prune({ days: 1, now: new Date('1970-01-01') })).toBe(0);
  });

  test('removes a link, but not its target', async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(folder, 'canary'), 'canary');
    await symlink(join(folder, 'canary'), file());
    expect(await open().prune({ days: 1, now: new Date('2030-01-01') })).toBe(1);
    expect(await readFile(join(folder, 'canary'), 'utf8')).toBe('canary');
  });

  test('says which file cannot be removed', async () => {
    await mkdir(file(), { recursive: true });
    await expect(open().prune({ days: 1, now: new Date('2030-01-01') })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('log-2026-03-01.jsonl has expired and cannot be removed'),
    });
  });
});

describe('maxBytes', () => {
  const maxBytes = 80_000;
  const sized = () => new JsonlLog<Entry>({ directory, prefix: 'log', timeOf, maxBytes });
  const text = 'x'.repeat(900);
  const bytesOf = async () => {
    const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };

  test('splits a day into files of an eighth, which are read in the order in which they were written', async () => {
    const log = sized();
    await Promise.all(Array.from({ length: 25 }, (_, n) => log.append({ at, n, text })));
    await log.append({ at, n: 25, text });
    expect((await readdir(directory)).sort()).toEqual(
      ['', '_2', '_3'].map((part) => `log-2026-03-01${part}.jsonl`),
    );
    const all = [...Array(26).keys()];
    expect(await numbers(log)).toEqual(all);
    expect(await numbers(sized(), { order: 'newest' })).toEqual(all.toReversed());
    for (const name of await readdir(directory)) {
      expect((await stat(join(directory, name))).size).toBeLessThanOrEqual(maxBytes / 8);
    }
  });

  test('removes the oldest days first, then the oldest files of the day, and never exceeds it', async () => {
    const log = sized();
    for (let day = 1; day <= 3; day++) {
      await log.append({ at: `2026-03-0${day}T12:00:00.000Z`, n: -day, text: 'x'.repeat(20_000) });
    }
    for (let n = 0; n < 41; n++) await log.append({ at: '2026-03-04T12:00:00.000Z', n, text });
    expect((await numbers(log)).slice(0, 2)).toEqual([-3, 0]);
    // Some at a time, as from programs that run at once.
    for (let n = 41; n < 301; n += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => log.append({ at: '2026-03-04T12:00:00.000Z', n: n + i, text })),
      );
      expect(await bytesOf()).toBeLessThanOrEqual(maxBytes);
    }
    const left = await numbers(log);
    expect(left).toEqual(Array.from({ length: left.length }, (_, index) => 301 - left.length + index));
    expect(left.length).toBeGreaterThan(60);
  });

  test('counts files that were there before, and never removes the current one', async () => {
    await place('\n'.repeat(200_000));
    const log = sized();
    await log.append({ at: '2026-03-02T12:00:00.000Z', n: 1 });
    expect(await readdir(directory)).toEqual(['log-2026-03-02.jsonl']);
    await log.append({ at: '2026-03-02T12:00:00.000Z', n: 2, text: 'x'.repeat(100_000) });
    expect(await numbers(log)).toEqual([1, 2]);
    await log.append({ at: '2026-03-02T12:00:00.000Z', n: 3 });
    expect(await numbers(log)).toEqual([3]);
    expect(await log.prune({ days: 9, now: new Date('2026-03-03') })).toBe(0);
    expect(await numbers(log)).toEqual([3]);
  });

  test('is enforced by prune after a larger limit', async () => {
    const log = open();
    for (let day = 1; day <= 5; day++) {
      await log.append({ at: `2026-03-0${day}T12:00:00.000Z`, n: day, text: 'x'.repeat(30_000) });
    }
    expect(await sized().prune({ days: 90, now: new Date('2026-03-05') })).toBe(0);
    expect(await numbers(log)).toEqual([4, 5]);
  });

  test('holds for several processes that write at once', async () => {
    const writers = [0, 1, 2].map((writer) =>
      startWriter({ directory, writer, count: 200, chars: 900, maxBytes }),
    );
    expect(await Promise.all(writers.map(endOf))).toEqual(Array(3).fill({ code: 0, output: 'writing\n' }));
    // Each of them may begin a file while the others look.
    expect(await bytesOf()).toBeLessThanOrEqual(maxBytes + (2 * maxBytes) / 8);
    expect((await badLines(open())).bad).toEqual([]);
  });
});

describe('one file for all days', () => {
  test('takes no more entries when it is full, until it is moved away', async () => {
    const path = join(directory, 'all.jsonl');
    const log = new JsonlLog<Entry>({ file: path, timeOf, maxBytes: 3000 });
    const appended = Array.from({ length: 4 }, (_, n) => log.append({ at, n, text: 'x'.repeat(900) }));
    const outcomes = await Promise.allSettled(appended);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[3]).toMatchObject({
      reason: {
        code: 'failed_precondition',
        message:
          'The record was not written to all.jsonl: it is as large as it may become; see to that place, or choose another.',
      },
    });
    await rename(path, join(directory, 'before.jsonl'));
    await log.append({ at, n: 4 });
    expect(await numbers(log)).toEqual([4]);
  });

  test('holds every entry, and is never removed', async () => {
    const path = join(directory, 'all.jsonl');
    const log = new JsonlLog<Entry>({ file: path, timeOf });
    expect(await numbers(log)).toEqual([]);
    await log.append({ at, n: 1 });
    await log.append({ at: '2026-03-05T00:00:00.000Z', n: 2 });
    await appendFile(path, 'x');
    expect(await numbers(log, { order: 'newest' })).toEqual([2, 1]);
    expect(await numbers(log, { since: new Date('2026-03-02') })).toEqual([2]);
    expect(await log.prune({ days: 1 })).toBe(0);
    expect(await readdir(directory)).toEqual(['all.jsonl']);
  });
});
