import { link, lstat, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { replaceFile } from './replace-file.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();
const file = () => join(folder(), 'file');
const noWindows = process.platform === 'win32' ? test.skip : test;

describe('replaceFile', () => {
  noWindows('creates a file that only its user can access, unless a mode is given', async () => {
    await replaceFile(file(), 'text');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    await replaceFile(file(), Buffer.from([0, 255]), { mode: 0o640 });
    expect((await stat(file())).mode & 0o777).toBe(0o640);
    expect(await readFile(file())).toEqual(Buffer.from([0, 255]));
    expect(await readdir(folder())).toEqual(['file']);
  });

  noWindows('sets exactly the given rights, whatever the umask is', async () => {
    const { uid, gid } = await stat(folder());
    const umask = process.umask(0o077);
    try {
      await replaceFile(file(), 'text', { rights: { uid, gid, mode: 0o100666 } });
    } finally {
      process.umask(umask);
    }
    expect((await stat(file())).mode & 0o7777).toBe(0o666);
  });

  // Only root can give a file to another user.
  if (process.getuid?.() === 0) {
    test('sets the given owner and group', async () => {
      await replaceFile(file(), 'text', { rights: { uid: 12_345, gid: 54_321, mode: 0o640 } });
      expect(await stat(file())).toMatchObject({ uid: 12_345, gid: 54_321, mode: 0o100640 });
    });
  }

  test('replaces a symbolic or hard link itself, and does not write to its target', async () => {
    const canary = join(folder(), 'canary');
    await writeFile(canary, 'alive');
    for (const make of [symlink, link]) {
      await make(canary, join(folder(), make.name));
      await replaceFile(join(folder(), make.name), 'new');
      expect(await readFile(join(folder(), make.name), 'utf8')).toBe('new');
      expect((await lstat(join(folder(), make.name))).isFile()).toBe(true);
    }
    expect(await readFile(canary, 'utf8')).toBe('alive');
  });

  test('never shows a partly written file to readers', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(1_000_000));
    await replaceFile(file(), texts[0] ?? '');
    const writes = Array.from({ length: 10 }, (_, n) => replaceFile(file(), texts[n % 2] ?? ''));
    const reads = Array.from({ length: 100 }, () => readFile(file(), 'utf8'));
    const seen = new Set(await Promise.all(reads));
    await Promise.all(writes);
    expect(texts).toEqual(expect.arrayContaining([...seen]));
    expect(await readdir(folder())).toEqual(['file']);
  });

  test('leaves nothing behind if it fails, and rejects with the error of the system', async () => {
    await mkdir(join(file(), 'full'), { recursive: true });
    await expect(replaceFile(file(), 'text')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(folder())).toEqual(['file']);
    await expect(replaceFile(join(folder(), 'none', 'file'), 'text')).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('removes the temporary files of killed processes, and no others', async () => {
    const [killed, writing] = ['.code-executor-0123456789abcdef.tmp', '.code-executor-fedcba9876543210.tmp'];
    const others = ['other.tmp', `x${killed}`, `${killed}.txt`];
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of [killed, writing, ...others]) await writeFile(join(folder(), name), '{');
    for (const name of [killed, ...others]) await utimes(join(folder(), name), longAgo, longAgo);
    await replaceFile(file(), 'text');
    expect((await readdir(folder())).sort()).toEqual([writing, ...others, 'file'].sort());
  });
});
