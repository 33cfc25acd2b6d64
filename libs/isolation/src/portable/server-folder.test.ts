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
// What is in the one of this machine is not the test's to remove.
jest.unstable_mockModule('node:os', () => ({ ...os, tmpdir: () => temp }));
const { createPrivateFolder } = await import('./private-folder.js');
const { linkTo, openServerFolder, removeServerFolder, sweepServerFolders } =
  await import('./server-folder.js');
afterEach(() => removeServerFolder());
afterAll(() => rm(temp, { recursive: true }));

test('what killed servers left is removed, and nothing of servers that live, of others, or elsewhere', async () => {
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
  // Of another name space of processes, where the number means something else.
  await make('code-executor-1-other', gone);
  await make('somebody', gone);
  await make('elsewhere', gone);
  if (process.getuid?.() === 0) {
    // Nobody but root can make one.
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

test('processes have folders that nobody else enters, in one that goes with the last and comes back by its name', async () => {
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
  // Whoever has the name by now is not trusted with what processes start from.
  await mkdir(server);
  const fourth = createPrivateFolder();
  expect(dirname(fourth.path)).not.toBe(server);
  await fourth.remove();
  expect(await readdir(server)).toEqual([]);
});

test('a link has the name that was asked for, the same each time, and another target another', async () => {
  const [first, second] = [linkTo('/product/a', 'rt'), linkTo('/product/b', 'rt')];
  expect([first, second].map((link) => link.slice(dirname(link).length + 1))).toEqual(['rt', 'rt-2']);
  expect(await Promise.all([first, second].map((link) => readlink(link)))).toEqual([
    '/product/a',
    '/product/b',
  ]);
  expect(linkTo('/product/a', 'rt')).toBe(first);
  expect(linkTo('/product/b', 'rt')).toBe(second);
});

test('a folder that was cleaned away is made again', async () => {
  const link = linkTo('/product/a', 'rt');
  await rm(openServerFolder(), { recursive: true });
  expect(linkTo('/product/a', 'rt')).toBe(link);
  expect(await readlink(link)).toBe('/product/a');
});

test('a folder that somebody else has made in its place is neither used nor removed', async () => {
  const folder = openServerFolder();
  const own = createPrivateFolder();
  await rm(folder, { recursive: true });
  const takenOver = async () => {
    await mkdir(folder);
    // Nobody but root can give one away; whom everybody may enter is no better.
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
