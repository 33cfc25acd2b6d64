import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, jest, test } from '@jest/globals';

/** No disk of this machine stops answering when it is asked to. */
let letGo: (() => void) | undefined;
let isStuck = false;
const open: typeof files.open = async (...args) => {
  if (isStuck) await new Promise<void>((resolve) => (letGo = resolve));
  return files.open(...args);
};
jest.unstable_mockModule('node:fs/promises', () => ({ ...files, open }));
const { JsonlLog } = await import('./index.js');

const folder = await files.mkdtemp(join(tmpdir(), 'jsonl-log-'));
afterEach(async () => {
  jest.useRealTimers();
  await files.rm(folder, { recursive: true });
});

test('a write that does not return is given up after 10 s, and no other is tried until it returns', async () => {
  const at = '2026-03-01T12:00:00.000Z';
  const log = new JsonlLog<{ at: string; n: number }>({
    directory: folder,
    prefix: 'log',
    timeOf: (entry) => new Date(entry.at),
  });
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  isStuck = true;
  const outcomes: string[] = [];
  const append = (n: number) =>
    log.append({ at, n }).catch((error: unknown) => void outcomes.push(`${n}: ${(error as Error).message}`));
  const first = append(1);
  while (!letGo) await new Promise(setImmediate);
  const second = append(2);
  jest.advanceTimersByTime(9999);
  await new Promise(setImmediate);
  expect(outcomes).toEqual([]);
  jest.advanceTimersByTime(1);
  await Promise.all([first, second, log.flush(), append(3)]);
  const problem =
    'The record was not written to log-2026-03-01.jsonl: the disk has not answered for 10 s; see to that place, or choose another.';
  expect(outcomes.sort()).toEqual([1, 2, 3].map((n) => `${n}: ${problem}`));

  isStuck = false;
  letGo();
  await expect(
    (async () => {
      for (;;) {
        const before = outcomes.length;
        await append(4);
        if (outcomes.length === before) return 'written';
        await new Promise(setImmediate);
      }
    })(),
  ).resolves.toBe('written');
});
