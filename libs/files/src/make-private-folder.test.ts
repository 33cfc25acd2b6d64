import { existsSync } from 'node:fs';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { makePrivateFolder } from './make-private-folder.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const noWindows = process.platform === 'win32' ? test.skip : test;

describe('makePrivateFolder', () => {
  noWindows('creates missing folders for their user only, and leaves existing ones as they are', async () => {
    const above = join(folder(), 'above');
    await mkdir(above);
    await chmod(above, 0o755);
    const wanted = join(above, 'a', 'b');
    await Promise.all([makePrivateFolder(wanted), makePrivateFolder(wanted)]);
    expect(await Promise.all([above, join(above, 'a'), wanted].map(modeOf))).toEqual([0o755, 0o700, 0o700]);
    await makePrivateFolder(above);
    expect(await modeOf(above)).toBe(0o755);
  });

  test('accepts a link to a folder', async () => {
    await symlink(folder(), join(folder(), 'linked'), 'junction');
    await makePrivateFolder(join(folder(), 'linked', 'a'));
    expect((await stat(join(folder(), 'a'))).isDirectory()).toBe(true);
  });

  test('rejects with the error of the system if the path is not a folder', async () => {
    const file = join(folder(), 'file');
    await writeFile(file, '');
    await expect(makePrivateFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makePrivateFolder(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  if (existsSync('/proc/self')) {
    test('rejects where no folder can be created, and does not retry forever', async () => {
      await expect(makePrivateFolder('/proc/none/a')).rejects.toMatchObject({ code: 'ENOENT' });
    });
  }
});
