import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { type ReadOptions, readRegularFile } from './read-regular-file.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();
const file = () => join(folder(), 'file');
const read = (options: Partial<ReadOptions> = {}, path = file()) =>
  readRegularFile(path, { maxBytes: 1024 * 1024, ...options });
const expectRefusal = (what: string, options?: Partial<ReadOptions>) =>
  expect(read(options)).rejects.toMatchObject({
    code: 'failed_precondition',
    message: `File ${file()} ${what}.`,
  });

describe('readRegularFile', () => {
  test('returns the bytes, the text without its byte order mark, and the ownership', async () => {
    await writeFile(file(), '\uFEFFgrün');
    await chmod(file(), 0o640);
    const found = await read();
    expect(found?.bytes).toEqual(Buffer.from('\uFEFFgrün'));
    expect(found?.text()).toBe('grün');
    expect(found?.ownership).toMatchObject({ uid: process.getuid?.(), mode: 0o100640 });
  });

  test('returns undefined if there is no file', async () => {
    expect(await read()).toBeUndefined();
    await writeFile(file(), '');
    expect(await read({}, join(file(), 'below'))).toBeUndefined();
    expect((await read())?.text()).toBe('');
  });

  test('refuses a directory', async () => {
    await mkdir(file());
    await expectRefusal('is a directory');
  });

  test('refuses a pipe without waiting for a writer', async () => {
    execFileSync('mkfifo', [file()]);
    await expectRefusal('is no regular file');
  });

  test('refuses a socket', async () => {
    const server = createServer().listen(file());
    await new Promise((listening) => server.once('listening', listening));
    try {
      await expectRefusal('cannot be opened (ENXIO)');
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });

  test('follows a link only if asked to, and only to a regular file', async () => {
    await writeFile(join(folder(), 'target'), 'text');
    await symlink('target', file());
    await expectRefusal('is a symbolic link; name the file itself');
    expect((await read({ followLink: true }))?.text()).toBe('text');
    const zeros = join(folder(), 'zeros');
    await symlink('/dev/zero', zeros);
    await expect(read({ followLink: true }, zeros)).rejects.toMatchObject({
      message: `File ${zeros} is no regular file.`,
    });
  });

  test('reads a file of exactly maxBytes, and refuses a larger one', async () => {
    await writeFile(file(), '12345678');
    expect((await read({ maxBytes: 8 }))?.text()).toBe('12345678');
    // It would not fit into memory, so it must be refused by its size alone.
    await truncate(file(), 1024 ** 4);
    await expectRefusal('is larger than 1 MB');
  });

  test('throws when the text is read, if its encoding is not UTF-8', async () => {
    await writeFile(file(), '\uFEFF{}', 'utf16le');
    const found = await read();
    expect(() => found?.text()).toThrow(`File ${file()} is not UTF-8 text.`);
  });

  test('refuses a file that users other than the given ones can write to', async () => {
    await writeFile(file(), '');
    await chmod(file(), 0o646);
    expect(await read()).toBeDefined();
    await expectRefusal('can be written by every user; change that with chmod o-w', {
      writableBy: 'operator',
    });
    await chmod(file(), 0o620);
    const problem = 'can be written by other users of its group; change that with chmod g-w';
    await expectRefusal(problem, { writableBy: 'owner' });
  });

  // Only root can give a file to another user; ownership.test.ts tests the rule itself without root.
  if (process.getuid?.() === 0) {
    test('refuses the file of another user', async () => {
      await writeFile(file(), '');
      await chown(file(), 12_345, 0);
      await expectRefusal('belongs to another user; make it your own with chown', { writableBy: 'operator' });
    });
  }

  // Linux reports a size of 0 for such files.
  const sizeless = '/proc/self/mountinfo';
  if (existsSync(sizeless)) {
    test('reads a file of unknown size, and stops once it exceeds maxBytes', async () => {
      expect((await read({}, sizeless))?.text()).toBe(await readFile(sizeless, 'utf8'));
      await expect(read({ maxBytes: 16 }, sizeless)).rejects.toMatchObject({ code: 'failed_precondition' });
    });
  }
});
