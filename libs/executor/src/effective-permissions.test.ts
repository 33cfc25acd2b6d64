import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { noPermissions } from '@code-executor/contracts';

import { effectivePermissions } from './effective-permissions.js';

describe('effectivePermissions', () => {
  let root: string;
  let data: string;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'grants-')));
    data = join(root, 'data');
    await mkdir(join(data, 'sub'), { recursive: true });
    await mkdir(join(root, 'data-old'));
    await writeFile(join(data, 'file.txt'), 'x');
    await writeFile(join(root, 'secret.txt'), 'x');
    await symlink(join(root, 'secret.txt'), join(data, 'way-out'));
    await symlink(join(root, 'nowhere'), join(data, 'dangling'));
    await symlink(join(data, 'sub'), join(root, 'way-in'));
    await symlink(data, join(root, 'alias'));
  });
  afterAll(() => rm(root, { recursive: true }));

  const read = (paths: string[], allowRead = [data]) =>
    effectivePermissions({ ...noPermissions, read: paths }, { allowRead });

  test('grants nothing by default', async () => {
    const asked = { read: [data], write: [data], net: ['api.example.com'] };
    expect(await effectivePermissions(asked)).toEqual({
      permissions: { read: [], write: [], net: [] },
      notes: [
        `permissions.read ${JSON.stringify(data)} is outside security.allowRead and was not granted.`,
        `permissions.write ${JSON.stringify(data)} is outside security.allowWrite and was not granted.`,
        'permissions.net "api.example.com" is outside security.allowNetwork and was not granted.',
      ],
    });
  });

  test('grants the allowed folder and what is inside, once', async () => {
    const inside = [data, join(data, 'sub'), join(data, 'file.txt')];
    expect(await read([...inside, data])).toEqual({
      permissions: { read: inside, write: [], net: [] },
      notes: [],
    });
  });

  test.each([
    ['its parent', () => root],
    ['a folder whose name begins the same', () => `${data}-old`],
    ['a way out by ..', () => `${data}/sub/../../secret.txt`],
    ['a link that leads out', () => join(data, 'way-out')],
    ['the root', () => '/'],
    ['something outside that does not exist', () => join(root, 'absent')],
  ])('refuses %s', async (_name, path) => {
    const { permissions, notes } = await read([path()]);
    expect(permissions.read).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('is outside security.allowRead and was not granted.')]);
  });

  test.each(['absent', 'dangling', 'file.txt/below'])('says that %s inside does not exist', async (name) => {
    const { permissions, notes } = await read([join(data, name)]);
    expect(permissions.read).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('does not exist and was not granted.')]);
  });

  test('grants a link that leads inside as what it is, and says so', async () => {
    const link = join(root, 'way-in');
    const target = join(data, 'sub');
    expect(await read([link])).toMatchObject({
      permissions: { read: [target] },
      notes: [`permissions.read ${JSON.stringify(link)} was granted as ${JSON.stringify(target)}.`],
    });
  });

  test('follows links in the allowed folders too', async () => {
    expect((await read([join(data, 'sub')], [join(root, 'alias')])).permissions.read).toEqual([
      join(data, 'sub'),
    ]);
  });

  test('what may be written may be read, but not the other way round', async () => {
    const asked = { read: [data], write: [data], net: [] };
    expect((await effectivePermissions(asked, { allowWrite: [data] })).permissions).toEqual(asked);
    expect((await effectivePermissions(asked, { allowRead: [data] })).permissions.write).toEqual([]);
  });

  test('allowWrite true has no limit, false no grant', async () => {
    const asked = { ...noPermissions, write: [root] };
    expect((await effectivePermissions(asked, { allowWrite: true })).permissions.write).toEqual([root]);
    expect((await effectivePermissions(asked, { allowWrite: false })).permissions.write).toEqual([]);
  });

  test.each([
    ['api.example.com', 'api.example.com', true],
    ['api.example.com', 'API.Example.com', true],
    ['api.example.com', 'api.example.com:8443', false],
    ['api.example.com:8443', 'api.example.com:8443', true],
    ['api.example.com:8443', 'api.example.com', false],
    ['api.example.com:8443', 'api.example.com:443', false],
    ['*.example.com', 'api.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', '*.b.example.com', true],
    ['*.example.com', '*.example.com', true],
    ['a.example.com', '*.example.com', false],
    ['*.example.com:80', 'a.example.com:80', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'badexample.com', false],
    ['*.example.com', '.example.com', false],
    ['*', 'example.com', true],
    ['*', 'example.com:1', false],
    ['*:443', 'example.com:80', false],
    ['[::1]:8080', '[::1]:8080', true],
    ['example.com', 'example.com.evil.org', false],
  ])('the ceiling %s for the host %s: %s', async (pattern, host, isGranted) => {
    const { permissions } = await effectivePermissions(
      { ...noPermissions, net: [host] },
      { allowNetwork: [pattern] },
    );
    expect(permissions.net).toEqual(isGranted ? [host] : []);
  });
});
