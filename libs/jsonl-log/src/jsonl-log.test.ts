import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { JsonlLog } from './index.js';
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

describe('append', () => {
  test('opens nothing before it is used', async () => {
    const log = open();
    expect(await numbers(log)).toEqual([]);
    expect(await log.prune({ days: 1 })).toBe(0);
    await log.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test('writes a line, in a folder and a file of the owner only, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await open().append({ at, n: 1, text: 'é\n' });
    } finally {
      process.umask(umask);
    }
    expect(await readFile(file(), 'utf8')).toBe(`{"at":"${at}","n":1,"text":"é\\n"}\n`);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    for (const made of [directory, join(folder, 'home')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
  });

  test('keeps the order in which entries came, and flush waits for all of them', async () => {
    const log = open();
    const written = Array.from({ length: 100 }, (_, n) => log.append({ at, n }));
    await log.flush();
    expect(await numbers(log)).toEqual([...Array(100).keys()]);
    await Promise.all(written);
  });

  test("chooses the file by the entry's own UTC date, also around midnight and out of order", async () => {
    const log = open();
    const times = ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z', '2026-03-01T22:00:00-05:00', at];
    await Promise.all(times.map((time, n) => log.append({ at: time, n })));
    expect(await readdir(directory)).toEqual(['log-2026-03-01.jsonl', 'log-2026-03-02.jsonl']);
    expect(await numbers(log)).toEqual([0, 3, 1, 2]);
  });

  test('begins a new line after an unfinished one', async () => {
    await place(`{"at":"${at}","n":1}\n{"at":"${at}","n`);
    await open().append({ at, n: 3 });
    expect(await badLines(open())).toEqual({
      found: [1, 3],
      bad: [{ file: 'log-2026-03-01.jsonl', line: 2, reason: 'it is no JSON' }],
    });
  });

  test('begins a new line after one that another process leaves unfinished between two writes', async () => {
    const log = open();
    await log.append({ at, n: 1 });
    await appendFile(file(), `{"at":"${at}","n`);
    await log.append({ at, n: 3 });
    await log.append({ at, n: 4 });
    expect(await badLines(open())).toMatchObject({ found: [1, 3, 4], bad: [{ line: 2 }] });
  });

  test('refuses a link that takes the place of its file, or of its folder, between two writes', async () => {
    const log = open();
    const elsewhere = join(folder, 'elsewhere');
    await log.append({ at, n: 1 });
    await rename(file(), elsewhere);
    await symlink(elsewhere, file());
    await expect(log.append({ at, n: 2 })).rejects.toMatchObject({ code: 'failed_precondition' });
    await rm(file());
    await log.append({ at, n: 3 });
    await rename(directory, `${directory}-moved`);
    await symlink(`${directory}-moved`, directory);
    await expect(log.append({ at, n: 4 })).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await readFile(elsewhere, 'utf8')).toBe(`{"at":"${at}","n":1}\n`);
    expect(await readFile(join(`${directory}-moved`, 'log-2026-03-01.jsonl'), 'utf8')).not.toContain('"n":4');
  });

  test('makes the file again after it was removed', async () => {
    const log = open();
    await log.append({ at, n: 1 });
    await rm(directory, { recursive: true });
    await log.append({ at, n: 2 });
    expect(await numbers(log)).toEqual([2]);
  });

  test.each([
    ['no time', { at: 'never' }, 'The record has no time; give it one.'],
    ['a year too late', { at: '+012026-01-01T00:00:00Z' }, 'The record has no time; give it one.'],
    ['no JSON', { at, n: 1n as unknown as number }, 'The record is not JSON; give it plain values.'],
    ['too long', { at, text: 'x'.repeat(1024 * 1024) }, 'The record is longer than 1 MiB; shorten it.'],
  ])('refuses an entry with %s', async (_name, entry, message) => {
    await expect(open().append(entry)).rejects.toMatchObject({ code: 'invalid_argument', message });
    expect(await readdir(folder)).toEqual([]);
  });

  test('refuses entries after close, and entries beyond 16 MB that wait', async () => {
    const log = open();
    const text = 'x'.repeat(1_000_000);
    const outcomes = await Promise.allSettled(Array.from({ length: 17 }, () => log.append({ at, text })));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array<string>(16).fill('fulfilled'),
      'rejected',
    ]);
    expect(outcomes[16]).toMatchObject({ reason: { code: 'resource_exhausted' } });
    await log.append({ at, n: 1 });
    await log.close();
    await expect(log.append({ at })).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

describe('a file or folder that is not your own', () => {
  const canary = () => join(folder, 'canary');
  type Place = [string, () => Promise<unknown>, string];
  const foreign: Place = [
    'a file of another user',
    async () => {
      await writeFile(file(), `{"at":"${at}","n":1}\n`);
      await chown(file(), 12_345, 12_345);
    },
    'it belongs to another user',
  ];
  const places: Place[] = [
    ['a link', () => symlink(canary(), file()), 'a link is in its place'],
    ['a link to nothing', () => symlink(join(folder, 'nothing'), file()), 'a link is in its place'],
    ['a hard link', () => link(canary(), file()), 'it has a second name (a hard link)'],
    ['a folder', () => mkdir(file()), 'a folder is in its place'],
    ['a pipe', () => Promise.resolve(execFileSync('mkfifo', [file()])), 'it is not a regular file'],
    // Only root can make one.
    ...(process.getuid?.() === 0 ? [foreign] : []),
    [
      'in a folder that is a link',
      async () => {
        await rm(directory, { recursive: true });
        await mkdir(join(folder, 'elsewhere'));
        await symlink(join(folder, 'elsewhere'), directory);
      },
      'its folder is a link',
    ],
    [
      'in a file',
      async () => {
        await rm(directory, { recursive: true });
        await writeFile(directory, '');
      },
      'its folder is a file',
    ],
  ];

  test.each(places)('is refused without waiting: %s', async (name, make, reason) => {
    await writeFile(canary(), 'canary');
    await mkdir(directory, { recursive: true });
    await make();
    await expect(open().append({ at })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `The record was not written to log-2026-03-01.jsonl: ${reason}; see to that place, or choose another.`,
    });
    expect(await readFile(canary(), 'utf8')).toBe('canary');
    if (name === foreign[0]) expect(await readFile(file(), 'utf8')).toBe(`{"at":"${at}","n":1}\n`);
    expect((await readdir(folder)).includes('nothing')).toBe(false);
  });

  test('is refused if no folder can be made, and nothing tries again in the background', async () => {
    const log = new JsonlLog<Entry>({ directory: '/proc/none/logs', prefix: 'log', timeOf });
    await expect(log.append({ at })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringMatching(/^The record was not written to log-2026-03-01\.jsonl: /),
    });
    await log.close();
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(40);
  });

  test.each(places.slice(0, -2))('is not read either: %s', async (_name, make) => {
    await writeFile(canary(), `{"at":"${at}","n":1}\n`);
    await mkdir(directory, { recursive: true });
    await make();
    const { found, bad } = await badLines(open());
    expect(found).toEqual([]);
    expect(bad).toMatchObject([{ file: 'log-2026-03-01.jsonl', line: 0 }]);
  });
});

describe('read', () => {
  test('reads from either end, and within a span of time', async () => {
    const log = open();
    for (let n = 1; n <= 6; n++) await log.append({ at: `2026-03-0${n}T12:00:00.000Z`, n });
    expect(await numbers(log)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await numbers(log, { order: 'newest' })).toEqual([6, 5, 4, 3, 2, 1]);
    const since = new Date('2026-03-02T12:00:00.000Z');
    const until = new Date('2026-03-05T11:59:59.999Z');
    expect(await numbers(log, { since, until })).toEqual([2, 3, 4]);
    const files: string[] = [];
    await numbers(log, { since, until, order: 'newest', onFile: (name) => files.push(name) });
    expect(files).toEqual([5, 4, 3, 2].map((day) => `log-2026-03-0${day}.jsonl`));
  });

  test.each(['oldest', 'newest'] as const)(
    'reports lines that are not entries, with file and line, %s first',
    async (order) => {
      const long = `{"text":"${'x'.repeat(2.5 * 1024 * 1024)}"}`;
      const good = (n: number) => `{"at":"${at}","n":${n}}`;
      const lines = [
        good(1),
        '',
        '[]',
        'null',
        long,
        good(6),
        '{"n":7}',
        '\u0000\u0000',
        good(9),
        '{"__proto__":1}',
      ];
      await place(`${lines.join('\n')}\n{"at":"${at}"`);
      const { found, bad } = await badLines(open(), order);
      const expected = [
        [3, 'it is no JSON object'],
        [4, 'it is no JSON object'],
        [5, 'it is longer than 1 MiB'],
        [7, 'it is no record of this log'],
        [8, 'it is no JSON'],
        [10, 'it is no record of this log'],
        [11, 'it breaks off'],
      ];
      expect(found).toEqual(order === 'oldest' ? [1, 6, 9] : [9, 6, 1]);
      const told = bad.map(({ line, reason }) => [line, reason]);
      expect(told.sort(([one], [other]) => Number(one) - Number(other))).toEqual(expected);
    },
  );

  test.each(['oldest', 'newest'] as const)(
    'reads a file larger than its windows, %s first',
    async (order) => {
      const count = 30_000;
      const text = 'x'.repeat(100);
      await place(
        Array.from({ length: count }, (_, n) => `{"at":"${at}","n":${n},"text":"${text}"}\n`).join(''),
      );
      const { found, bad } = await badLines(open(), order);
      const all = [...Array(count).keys()];
      expect(bad).toEqual([]);
      expect(found).toEqual(order === 'oldest' ? all : all.reverse());
    },
  );

  test('takes a last line without a line break if it is complete', async () => {
    await place(`{"at":"${at}","n":1}\n{"at":"${at}","n":2}`);
    expect(await badLines(open())).toEqual({ found: [1, 2], bad: [] });
    await open().append({ at, n: 3 });
    expect(await badLines(open(), 'newest')).toEqual({ found: [3, 2, 1], bad: [] });
  });

  test('leaves other files alone', async () => {
    await open().append({ at, n: 1 });
    for (const name of [
      'log.jsonl',
      'log-2026-03.jsonl',
      'log-2026-99-99.jsonl',
      'log-2026-03-01.jsonl.gz',
      'other-2026-03-01.jsonl',
    ]) {
      await writeFile(join(directory, name), 'something else');
    }
    expect(await badLines(open())).toEqual({ found: [1], bad: [] });
    expect(await open().prune({ days: 1, now: new Date('2030-01-01') })).toBe(1);
    expect((await readdir(directory)).length).toBe(5);
  });
});
