import { chmod, link, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { rewriteFile } from './rewrite-file.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();
const file = () => join(folder(), 'file');
const rewrite = (change: (text: string | undefined) => string, path = file()) =>
  rewriteFile(path, { maxBytes: 1024 }, change);
const noWindows = process.platform === 'win32' ? test.skip : test;

describe('rewriteFile', () => {
  noWindows('keeps the rights of the file, and replaces it as a whole', async () => {
    await writeFile(file(), 'before');
    await chmod(file(), 0o640);
    await link(file(), join(folder(), 'linked'));
    await rewrite((text) => `${text ?? ''} and after`);
    expect(await readFile(file(), 'utf8')).toBe('before and after');
    expect((await stat(file())).mode & 0o777).toBe(0o640);
    expect(await readFile(join(folder(), 'linked'), 'utf8')).toBe('before');
    expect((await readdir(folder())).sort()).toEqual(['file', 'linked']);
  });

  noWindows('creates a file that only its user can access', async () => {
    await rewrite((text) => (text === undefined ? 'new' : 'wrong'));
    expect(await readFile(file(), 'utf8')).toBe('new');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  test('changes nothing if the callback throws', async () => {
    const reason = new Error('no');
    const failing = rewrite(() => {
      throw reason;
    });
    await expect(failing).rejects.toBe(reason);
    expect(await readdir(folder())).toEqual([]);
  });

  test('loses no change if many are made at once', async () => {
    const letters = Array.from('abcdefghijkl');
    await Promise.all(letters.map((letter) => rewrite((text = '') => text + letter)));
    expect(Array.from(await readFile(file(), 'utf8')).sort()).toEqual(letters);
    expect(await readdir(folder())).toEqual(['file']);
  });

  test('waits while another process holds the lock', async () => {
    await writeFile(`${file()}.lock`, '');
    const waiting = rewrite(() => 'text');
    await rm(`${file()}.lock`);
    await waiting;
    expect(await readFile(file(), 'utf8')).toBe('text');
  });

  noWindows('refuses a link, and a file that other users can write to', async () => {
    const canary = join(folder(), 'canary');
    await writeFile(canary, 'alive');
    await symlink(canary, file());
    await expect(rewrite(() => 'text')).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `File ${file()} is a symbolic link; name the file itself.`,
    });
    await chmod(canary, 0o666);
    await expect(rewrite(() => 'text', canary)).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await readFile(canary, 'utf8')).toBe('alive');
    expect((await readdir(folder())).sort()).toEqual(['canary', 'file']);
  });

  test('says which file cannot be written', async () => {
    const path = join(folder(), 'none', 'file');
    await expect(rewrite(() => 'text', path)).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `File ${path} cannot be written (ENOENT); check the permissions of the file and its folder.`,
    });
  });
});
