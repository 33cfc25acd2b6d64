import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { startHolder, startVictim, startWriter } from './locking.test.support.js';
import { takeLock } from './take-lock.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();
const lock = () => join(folder(), '.lock');
const take = (waitMs = 0) => takeLock(lock(), { subject: 'the packages', waitMs });
/** Replaces what the lock says about its holder. */
const forge = async (change: (lines: string[]) => string[], ageMs = 0) => {
  const release = await take();
  const lines = change((await readFile(lock(), 'utf8')).split('\n'));
  await release();
  await writeFile(lock(), lines.join('\n'));
  const seconds = (Date.now() - ageMs) / 1000;
  await utimes(lock(), seconds, seconds);
};
const elsewhere = ([pid = '', , ...rest]: string[]) => [pid, 'another machine', ...rest];
/** A process that takes over a lock it cannot judge first claims it, and then looks for a while. */
const isBeingTakenOver = async () => {
  while ((await readdir(folder())).every((name) => !/^\.code-executor-\w+\.lock$/.test(name))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const longSilentMs = 125_000;
const onLinux = process.platform === 'linux' ? test : test.skip;

describe('the lock of a killed process', () => {
  test('is taken over at once', async () => {
    const holder = startHolder(lock());
    await holder.begun;
    await expect(take()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`Process ${holder.pid} is changing the packages.`),
    });
    holder.process.kill('SIGKILL');
    await holder.ended;
    const release = await take();
    expect(await readFile(lock(), 'utf8')).toContain(`${process.pid}\n`);
    await release();
    expect(await readdir(folder())).toEqual([]);
  });

  test('is taken over by one at a time of many that find it', async () => {
    const holder = startHolder(lock());
    await holder.begun;
    holder.process.kill('SIGKILL');
    await holder.ended;
    const text = await readFile(lock());
    let [holders, most, turns] = [0, 0, 0];
    // They begin one after the other, so that some still judge the old lock when others hold a new one.
    const work = async (index: number) => {
      for (let n = 0; n < index; n++) await new Promise((resolve) => setImmediate(resolve));
      const release = await take(60_000);
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setTimeout(resolve, 1));
      holders--;
      turns++;
      await release();
    };
    for (let round = 0; round < 8; round++) {
      await writeFile(lock(), text);
      await Promise.all(Array.from({ length: 20 }, (_, index) => work(index)));
    }
    expect([most, turns]).toEqual([1, 160]);
    expect(await readdir(folder())).toEqual([]);
  });

  onLinux('is taken over if another process has got its id', async () => {
    await forge(([pid = '', place = '', start = '', ...rest]) => [pid, place, `${start}0`, ...rest]);
    await (
      await take()
    )();
    expect(await readdir(folder())).toEqual([]);
  });
});

describe('a lock whose holder cannot be seen', () => {
  test('is respected', async () => {
    await forge(elsewhere);
    await expect(take()).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'Another process is changing the packages. Wait until it has ended; if it is gone, try again in two minutes.',
    });
  });

  test('is taken over after a long silence', async () => {
    await forge(elsewhere, longSilentMs);
    await (
      await take()
    )();
    expect(await readdir(folder())).toEqual([]);
  });

  test('is respected if its holder shows in the last moment that it runs', async () => {
    await forge(elsewhere, longSilentMs);
    const refused = expect(take()).rejects.toMatchObject({ code: 'unavailable' });
    await isBeingTakenOver();
    // As after a sleep of the machine, when all times are old.
    const seconds = Date.now() / 1000;
    await utimes(lock(), seconds, seconds);
    await refused;
    expect(await readdir(folder())).toEqual(['.lock']);
  });

  test('is taken over although a process was killed while it did so', async () => {
    await forge(elsewhere, longSilentMs);
    const other = startHolder(lock());
    await isBeingTakenOver();
    other.process.kill('SIGKILL');
    expect(await other.ended).toBe('');
    await (
      await take()
    )();
    // A half made lock may stay, like every temporary file of a killed process.
    expect((await readdir(folder())).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });
});

describe('twenty processes', () => {
  test('lose nothing while some of them are killed', async () => {
    const file = join(folder(), 'lines');
    const writers = Array.from({ length: 12 }, (_, n) => startWriter(file, 10, `writer${n}`));
    const victims = Array.from({ length: 5 }, (_, n) => startVictim(file, 3, `victim${n}`));
    // Killed from outside, at any moment.
    const others = Array.from({ length: 3 }, (_, n) => startWriter(file, 1000, `other${n}`));
    for (const other of others) void other.begun.then(() => other.process.kill('SIGKILL'));

    const said = (await Promise.all([...writers, ...victims, ...others].map(({ ended }) => ended))).join('');
    const told = said.trimEnd().split('\n').sort();
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    expect(told.filter((line) => !lines.includes(line))).toEqual([]);
    expect(told.filter((line) => !line.startsWith('other'))).toHaveLength(12 * 10 + 5 * 2);
    // A process that is killed after it has added a line cannot tell.
    expect(lines.length - told.length).toBeLessThanOrEqual(others.length);
    await (
      await takeLock(`${file}.lock`, { subject: 'x' })
    )();
    expect((await readdir(folder())).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });
});
