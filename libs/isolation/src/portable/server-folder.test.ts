import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import * as os from 'node:os';
import { basename, dirname, join } from 'node:path';

import { afterAll, afterEach, expect, jest, test } from '@jest/globals';

const temp = await mkdtemp(join(os.tmpdir(), 'server-folder-'));
// The test must not remove anything from the real temp folder.
jest.unstable_mockModule('node:os', () => ({ ...os, tmpdir: () => temp }));
const { createPrivateFolder } = await import('./private-folder.js');
const { linkTo, openServerFolder, removeServerFolder, sweepServerFolders } =
  await import('./server-folder.js');
afterEach(() => removeServerFolder());
afterAll(() => rm(temp, { recursive: true }));

test('the sweep removes the folders of killed servers, and nothing else', async () => {
  const own = openServerFolder();
  const [, prefix = ''] = /\/(code-executor-\d+-)[^/]*$/.exec(own) ?? [];
  const gone = spawnSync('true').pid;
  const make = async (name: string, owner?: number) => {
    await mkdir(join(temp, name));
    await writeFile(join(temp, name, 'file'), '');
    if (owner !== undefined) await writeFile(join(temp, name, 'owner'), String(owner));
  };
  await make(`${prefix}living`, process.ppid);
  await make(`${prefix}beginning`);
  // It belongs to another process namespace, where the process id means something else.
  await make('code-executor-1-other', gone);
  await make('somebody', gone);
  await make('elsewhere', gone);
  if (process.getuid?.() === 0) {
    // Only root can create a folder that belongs to another user.
    await make(`${prefix}foreign`, gone);
    await chown(join(temp, `${prefix}foreign`), 12_345, 12_345);
  }
  const kept = await readdir(temp);
  await make(`${prefix}left`, gone);
  await make(`${prefix}unowned`);
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(join(temp, `${prefix}unowned`), longAgo, longAgo);
  await symlink(join(temp, 'elsewhere'), join(temp, `${prefix}link`));

  await sweepServerFolders();
  expect((await readdir(temp)).sort()).toEqual(kept.sort());
  expect((await readdir(join(temp, 'elsewhere'))).sort()).toEqual(['file', 'owner']);
});

test('private folders lie in a server folder that is removed with the last one and recreated under its name', async () => {
  const [first, second] = [createPrivateFolder(), createPrivateFolder()];
  const server = dirname(first.path);
  expect(dirname(second.path)).toBe(server);
  for (const path of [server, first.path, second.path]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  await first.remove();
  expect(await readdir(server)).toContain('2');
  await second.remove();
  await expect(stat(server)).rejects.toMatchObject({ code: 'ENOENT' });

  const third = createPrivateFolder();
  expect(dirname(third.path)).toBe(server);
  await third.remove();
  // A folder of this name that others can enter is not trusted: processes would start from its content.
  await mkdir(server);
  const fourth = createPrivateFolder();
  expect(dirname(fourth.path)).not.toBe(server);
  await fourth.remove();
  expect(await readdir(server)).toEqual([]);
});

test('linkTo returns one link per target, and adds a number if the name is taken by another target', async () => {
  const [first, second] = [linkTo('/product/a', 'rt'), linkTo('/product/b', 'rt')];
  expect([first, second].map((link) => link.slice(dirname(link).length + 1))).toEqual(['rt', 'rt-2']);
  expect(await Promise.all([first, second].map((link) => readlink(link)))).toEqual([
    '/product/a',
    '/product/b',
  ]);
  expect(linkTo('/product/a', 'rt')).toBe(first);
  expect(linkTo('/product/b', 'rt')).toBe(second);
});

test('a server folder that was deleted is created again', async () => {
  const link = linkTo('/product/a', 'rt');
  await rm(openServerFolder(), { recursive: true });
  expect(linkTo('/product/a', 'rt')).toBe(link);
  expect(await readlink(link)).toBe('/product/a');
});

test('a folder that another user has created in its place is neither used nor removed', async () => {
  const folder = openServerFolder();
  const own = createPrivateFolder();
  await rm(folder, { recursive: true });
  const takenOver = async () => {
    await mkdir(folder);
    // Only root can give a folder to another user; one that everybody may enter must be refused, too.
    if (process.getuid?.() === 0) await chown(folder, 12_345, 12_345);
    else await chmod(folder, 0o777);
    await mkdir(own.path);
  };
  await takenOver();
  await own.remove();
  const theirs = [basename(own.path)];
  expect(await readdir(folder)).toEqual(theirs);
  const link = linkTo('/product/a', 'rt');
  expect(dirname(dirname(link))).not.toBe(folder);
  expect((await stat(openServerFolder())).uid).toBe(process.getuid?.());
  expect(await readdir(folder)).toEqual(theirs);
  await rm(folder, { recursive: true });
});
