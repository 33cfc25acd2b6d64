import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { takeLock } from './take-lock.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();
const lock = () => join(folder(), '.lock');
const take = (waitMs?: number) =>
  takeLock(lock(), { subject: 'the packages', ...(waitMs !== undefined && { waitMs }) });
const heldBy = (who: string, advice = '') => ({
  code: 'unavailable',
  message: `${who} is changing the packages. Wait until it has ended${advice}.`,
});

describe('takeLock', () => {
  test('names the process that holds it, and leaves nothing behind', async () => {
    const release = await take();
    expect(await readFile(lock(), 'utf8')).toContain(`${process.pid}\n`);
    await expect(take()).rejects.toMatchObject(heldBy(`Process ${process.pid}`));
    await release();
    expect(await readdir(folder())).toEqual([]);
    await (
      await take()
    )();
  });

  test('waits for another holder, but not longer than waitMs', async () => {
    const release = await take();
    await expect(take(50)).rejects.toMatchObject(heldBy(`Process ${process.pid}`));
    const waiting = take(60_000);
    await release();
    await (
      await waiting
    )();
  });

  test('is held by one caller at a time', async () => {
    let [holders, most, turns] = [0, 0, 0];
    const work = async () => {
      const release = await take(60_000);
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      turns++;
      await release();
    };
    await Promise.all(Array.from({ length: 10 }, work));
    expect([most, turns]).toEqual([1, 10]);
  });

  test('releases only its own lock', async () => {
    const first = await take();
    await rm(lock());
    const second = await take();
    await first();
    await expect(take()).rejects.toMatchObject(heldBy(`Process ${process.pid}`));
    await second();
    expect(await readdir(folder())).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['other text', '7 is my number\n'],
  ])('treats a file that contains %s as the lock of another process', async (_what, text) => {
    await writeFile(lock(), text);
    await expect(take()).rejects.toMatchObject(
      heldBy('Another process', '; if it is gone, try again in two minutes'),
    );
  });

  test('treats a pipe at its path as the lock of another process, and does not wait for it', async () => {
    execFileSync('mkfifo', [lock()]);
    await expect(take()).rejects.toMatchObject(
      heldBy('Another process', `; if it is gone, delete ${lock()}`),
    );
  });

  test('rejects with the error of the system if the file cannot be created', async () => {
    const nowhere = join(folder(), 'none', '.lock');
    await expect(takeLock(nowhere, { subject: 'x' })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
