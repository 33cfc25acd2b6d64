import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { type BadLine, JsonlLog, type ReadOptions } from './index.js';
import { endOf, startWriter } from './line-writing.test.support.js';

interface Entry {
  at: string;
  n?: number;
  text?: string;
}

let folder: string;
let directory: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jsonl-log-'));
  directory = join(folder, 'home', 'logs');
});
afterEach(() => rm(folder, { recursive: true }));

const timeOf = ({ at }: Entry) => new Date(at);
const open = () => new JsonlLog<Entry>({ directory, prefix: 'log', timeOf });
const pathOf = (date: string) => join(directory, `log-${date}.jsonl`);
const at = '2026-03-01T12:00:00.000Z';
const file = () => pathOf('2026-03-01');
const numbers = async (log: JsonlLog<Entry>, options: ReadOptions = {}) => {
  const found: (number | undefined)[] = [];
  for await (const { n } of log.read(options)) found.push(n);
  return found;
};
const badLines = async (log: JsonlLog<Entry>, order: 'oldest' | 'newest' = 'oldest') => {
  const bad: BadLine[] = [];
  const found = await numbers(log, { order, onBadLine: (line) => bad.push(line) });
  return { found, bad };
};
/** A file that is there before the log is. */
const place = async (content: string | Buffer) => {
  await mkdir(directory, { recursive: true });
  await writeFile(file(), content);
};

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

  test("goes by the entry's own UTC date, also around midnight and out of order", async () => {
    const log = open();
    const times = ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z', '2026-03-01T22:00:00-05:00', at];
    await Promise.all(times.map((time, n) => log.append({ at: time, n })));
    expect(await readdir(directory)).toEqual(['log-2026-03-01.jsonl', 'log-2026-03-02.jsonl']);
    expect(await numbers(log)).toEqual([0, 3, 1, 2]);
  });

  test('begins a new line after one that breaks off', async () => {
    await place(`{"at":"${at}","n":1}\n{"at":"${at}","n`);
    await open().append({ at, n: 3 });
    expect(await badLines(open())).toEqual({
      found: [1, 3],
      bad: [{ file: 'log-2026-03-01.jsonl', line: 2, reason: 'it is no JSON' }],
    });
  });

  test('begins a new line after one that somebody else leaves unfinished between two writes', async () => {
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

  test('writes to the file of that name after the one before was removed', async () => {
    const log = open();
    await log.append({ at, n: 1 });
    await rm(directory, { recursive: true });
    await log.append({ at, n: 2 });
    expect(await numbers(log)).toEqual([2]);
  });

  test.each([
    ['no time', { at: 'never' }, 'The record has no time; give it one.'],
    ['a year too late', { at: '+012026-01-01T00:00:00Z' }, 'The record has no time; give it one.'],
    ['no JSON', { at, n: 1n as unknown as number }, 'The record is no JSON; give it plain values.'],
    ['too long', { at, text: 'x'.repeat(1024 * 1024) }, 'The record is longer than 1 MiB; shorten it.'],
  ])('refuses an entry with %s', async (_name, entry, message) => {
    await expect(open().append(entry)).rejects.toMatchObject({ code: 'invalid_argument', message });
    expect(await readdir(folder)).toEqual([]);
  });

  test('refuses what comes after close, and more than 16 MB that wait', async () => {
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

describe('a place that is no file of yours', () => {
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
    ['a pipe', () => Promise.resolve(execFileSync('mkfifo', [file()])), 'it is no regular file'],
    // Nobody but root can make one.
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

  test('is refused where no folder can be made, and nothing goes on trying', async () => {
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
  test('reads either end first, and a span of time', async () => {
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
    'tells what is no entry, with file and line, %s first',
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

  test('takes a last line without an end, if it is whole', async () => {
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

describe('prune', () => {
  test('removes days that are over for long enough, and no entry earlier', async () => {
    const log = open();
    for (let day = 1; day <= 4; day++) await log.append({ at: `2026-03-0${day}T23:59:59.999Z`, n: day });
    expect(await log.prune({ days: 1, now: new Date('2026-03-03T23:59:59.999Z') })).toBe(1);
    expect(await numbers(log)).toEqual([2, 3, 4]);
    expect(await log.prune({ days: 1, now: new Date('2026-03-04T00:00:00.000Z') })).toBe(1);
    expect(await numbers(log)).toEqual([3, 4]);
    expect(await log.prune({ days: 1, now: new Date('1970-01-01') })).toBe(0);
  });

  test('removes a link, and not what it leads to', async () => {
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
      message: expect.stringContaining('log-2026-03-01.jsonl is past its time and cannot be removed'),
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

  test('counts what was there before, and never removes what is written now', async () => {
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

  test('is kept by prune, where another limit held before', async () => {
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
  test('is not written any more when it is as large as it may be, until it is moved away', async () => {
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
