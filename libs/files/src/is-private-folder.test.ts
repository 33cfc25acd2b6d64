import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { isPrivateFolder } from './is-private-folder.js';
import { makePrivateFolder } from './make-private-folder.js';
import { testFolder } from './test-folder.test.support.js';

const folder = testFolder();

test('a folder is private until others may enter it', async () => {
  const path = join(folder(), 'mine');
  await makePrivateFolder(path);
  expect(isPrivateFolder(path)).toBe(true);
  await chmod(path, 0o750);
  expect(isPrivateFolder(path)).toBe(process.platform === 'win32');
});

test('a link to a private folder, a file and a path without anything are not private folders', async () => {
  const path = (name: string) => join(folder(), name);
  await makePrivateFolder(path('mine'));
  await symlink(path('mine'), path('link'), 'junction');
  await writeFile(path('file'), '', { mode: 0o600 });
  expect(['link', 'file', 'nothing'].map((name) => isPrivateFolder(path(name)))).toEqual([
    false,
    false,
    false,
  ]);
});
