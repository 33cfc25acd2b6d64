import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { type BadLine, JsonlLog } from './index.js';
import { endOf, startWriter } from './line-writing.test.support.js';

interface Entry {
  at: number;
  writer: number;
  number: number;
  text: string;
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jsonl-log-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = () => new JsonlLog<Entry>({ directory, prefix: 'log', timeOf: ({ at }) => new Date(at) });
/** The numbers in the log by writer, and what is no entry. */
const readAll = async () => {
  const byWriter = new Map<number, number[]>();
  const bad: BadLine[] = [];
  for await (const { writer, number } of open().read({ onBadLine: (line) => bad.push(line) })) {
    byWriter.set(writer, [...(byWriter.get(writer) ?? []), number]);
  }
  return { byWriter, bad };
};

describe('lines of many writers', () => {
  test('are neither lost nor mixed when 50 logs of one process write', async () => {
    const logs = Array.from({ length: 50 }, open);
    const text = 'x'.repeat(2000);
    await Promise.all(
      logs.map(async (log, writer) => {
        for (let number = 0; number < 20; number++) await log.append({ at: 0, writer, number, text });
      }),
    );
    const { byWriter, bad } = await readAll();
    expect(bad).toEqual([]);
    expect(byWriter.size).toBe(50);
    for (const numbers of byWriter.values()) expect(numbers).toEqual([...Array(20).keys()]);
  });

  test('are neither lost nor mixed when 4 processes write', async () => {
    const count = 1000;
    const writers = [0, 1, 2, 3].map((writer) => startWriter({ directory, writer, count, chars: 5000 }));
    const ends = await Promise.all(writers.map(endOf));
    expect(ends).toEqual(Array(4).fill({ code: 0, output: 'writing\n' }));
    const { byWriter, bad } = await readAll();
    expect(bad).toEqual([]);
    for (const writer of [0, 1, 2, 3]) expect(byWriter.get(writer)).toEqual([...Array(count).keys()]);
  });

  test('are whole after processes were killed while they wrote, except the unfinished ones', async () => {
    for (let writer = 0; writer < 5; writer++) {
      const child = startWriter({ directory, writer, count: 1_000_000, chars: 20_000 });
      const ended = endOf(child);
      if (child.stdout) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await ended;
    }
    await open().append({ at: 0, writer: 5, number: 0, text: '' });
    const { byWriter, bad } = await readAll();
    // A line that broke off takes no other with it, and there is at most one for each process.
    expect(bad.length).toBeLessThanOrEqual(5);
    expect(byWriter.get(5)).toEqual([0]);
    for (const writer of [0, 1, 2, 3, 4]) {
      const numbers = byWriter.get(writer) ?? [];
      expect(numbers.length).toBeGreaterThan(20);
      expect(numbers).toEqual([...numbers.keys()]);
    }
  });

  test.each([
    ['some entries, and part of one more', 1000],
    ['part of one entry', 20_000],
  ])('by a process whose file may grow no more: it holds %s', async (_what, chars) => {
    // 8 blocks of 512 or 1024 bytes. What a write leaves over is tried once more, for then the disk says why.
    const { code, output } = await endOf(startWriter({ directory, writer: 0, count: 10, chars }, 8));
    expect(code).toBe(0);
    expect(output).toBe(
      'failed_precondition: The record was not written to log-1970-01-01.jsonl: it is as large as files may be here; see to that place, or choose another.\n',
    );
    await open().append({ at: 0, writer: 1, number: 0, text: '' });
    const { byWriter, bad } = await readAll();
    expect(byWriter.get(1)).toEqual([0]);
    const numbers = byWriter.get(0) ?? [];
    expect(numbers.length > 0).toBe(chars === 1000);
    expect(numbers).toEqual([...numbers.keys()]);
    expect(bad).toEqual([
      { file: 'log-1970-01-01.jsonl', line: numbers.length + 1, reason: 'it is no JSON' },
    ]);
  });
});
