import { spawnSync } from 'node:child_process';
import { chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import * as os from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, jest, test } from '@jest/globals';

const temp = await mkdtemp(join(os.tmpdir(), 'private-folder-'));
// What is in the one of this machine is not the test's to remove.
jest.unstable_mockModule('node:os', () => ({ ...os, tmpdir: () => temp }));
const { createPrivateFolder, sweepPrivateFolders } = await import('./private-folder.js');
afterAll(() => rm(temp, { recursive: true }));

test('what killed servers left is removed, and nothing of servers that live, of others, or elsewhere', async () => {
  const own = createPrivateFolder();
  expect((await stat(own.path)).mode & 0o777).toBe(0o700);
  const [, prefix = ''] = /\/(code-executor-\d+-)[^/]*$/.exec(own.path) ?? [];
  const gone = spawnSync('true').pid;
  const make = async (name: string) => {
    await mkdir(join(temp, name));
    await writeFile(join(temp, name, 'file'), '');
  };
  await make(`${prefix}${gone}-left`);
  await make(`${prefix}${process.ppid}-other`);
  await make(`${prefix}unreadable`);
  // Of another name space of processes, where the number means something else.
  await make(`code-executor-1-${gone}-x`);
  await make(`somebody-${gone}-x`);
  await make('elsewhere');
  await symlink(join(temp, 'elsewhere'), join(temp, `${prefix}${gone}-link`));
  const kept = [
    ...(await readdir(temp)).filter((name) => !name.startsWith(`${prefix}${gone}-`)),
    // Nobody but root can make one.
    ...(process.getuid?.() === 0 ? [`${prefix}${gone}-foreign`] : []),
  ];
  if (process.getuid?.() === 0) {
    await make(`${prefix}${gone}-foreign`);
    await chown(join(temp, `${prefix}${gone}-foreign`), 12_345, 12_345);
  }
  await sweepPrivateFolders();
  expect((await readdir(temp)).sort()).toEqual(kept.sort());
  expect(await readdir(join(temp, 'elsewhere'))).toEqual(['file']);

  await own.remove();
  expect((await readdir(temp)).sort()).toEqual(kept.filter((name) => join(temp, name) !== own.path).sort());
});
