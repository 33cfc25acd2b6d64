import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { root, data, logger, ceilingOf, cutBy, cut, read, descriptors } from './ceiling-of.test.support.js';

describe('PermissionCeiling', () => {
  test('grants nothing by default', async () => {
    const asked = { read: [data], write: [data], net: ['api.example.com'] };
    expect(await cut(asked)).toMatchObject({
      ...{ read: [], write: [], net: [] },
      notes: [
        `permissions.read ${JSON.stringify(data)} is outside security.allowRead and was not granted.`,
        `permissions.write ${JSON.stringify(data)} is outside security.allowWrite and was not granted.`,
        'permissions.net "api.example.com" is outside security.allowNetwork and was not granted.',
      ],
    });
  });

  test('grants the allowed folder and paths inside it, each once', async () => {
    const inside = [data, join(data, 'sub'), join(data, 'file.txt')];
    expect(await read([...inside, data, `${data}/`])).toMatchObject({
      read: inside,
      notes: [],
      things: [expect.arrayContaining(['file.txt', 'sub']), [], 'x'],
    });
  });

  test.each([
    ['its parent', () => root],
    ['a folder whose name begins the same', () => `${data}-old`],
    ['a way out by ..', () => `${data}/sub/../../secret.txt`],
    ['the root', () => '/'],
    ['another way to it', () => join(root, 'alias')],
    ['something outside that does not exist', () => join(root, 'absent')],
  ])('refuses %s', async (_name, path) => {
    const { read: granted, notes } = await read([path()]);
    expect(granted).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('is outside security.allowRead and was not granted.')]);
  });

  test.each(['absent', 'sub/absent', 'file.txt/below'])(
    'says that %s does not exist inside',
    async (name) => {
      const { read: granted, notes } = await read([join(data, name)]);
      expect(granted).toEqual([]);
      expect(notes).toEqual([expect.stringContaining('does not exist and was not granted.')]);
    },
  );

  test.each(['way-in', 'way-in/', 'way-in/x', 'way-out', 'dangling'])('follows no link: %s', async (name) => {
    const { read: granted, notes } = await read([`${data}/${name}`]);
    expect(granted).toEqual([]);
    expect(notes).toEqual([
      expect.stringContaining('leads through a link and was not granted; name the file or folder itself.'),
    ]);
  });

  test('grants a configured link by its own name and by its target', async () => {
    const asked = [join(root, 'alias', 'sub'), join(data, 'sub')];
    expect(await read(asked, [join(root, 'alias')])).toMatchObject({ read: asked, notes: [] });
  });

  test('grants neither sockets nor pipes', async () => {
    const path = join(data, 'socket');
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    expect((await read([path])).notes).toEqual([
      `permissions.read ${JSON.stringify(path)} is neither a file nor a folder and was not granted.`,
    ]);
    server.close();
  });

  test('grants reading with allowWrite, but not writing with allowRead', async () => {
    const asked = { read: [data], write: [data] };
    expect(await cut(asked, { allowWrite: [data] })).toMatchObject(asked);
    expect((await cut(asked, { allowRead: [data] })).write).toEqual([]);
  });

  test('grants every path with allowWrite true, and none with false', async () => {
    expect((await cut({ write: [root] }, { allowWrite: true })).write).toEqual([root]);
    expect((await cut({ write: [root] }, { allowWrite: false })).write).toEqual([]);
  });

  test('grants 50 paths of a kind, and reports the others', async () => {
    const paths = Array.from({ length: 52 }, (_, index) => join(data, `folder-${index}`));
    for (const path of paths) mkdirSync(path);
    const { read: granted, notes } = await read(paths);
    expect(granted).toEqual(paths.slice(0, 50));
    expect(notes).toEqual(
      paths
        .slice(50)
        .map(
          (path) =>
            `permissions.read ${JSON.stringify(path)} is one of more than 50 paths and was not granted.`,
        ),
    );
  });

  describe('keeps the files that the configuration named', () => {
    test('even if others take their place', async () => {
      const ceiling = ceilingOf({ allowRead: [data] });
      renameSync(data, `${data}-away`);
      symlinkSync(join(root, 'data-old'), data);
      expect(await cutBy(ceiling, { read: [data, join(data, 'file.txt')] })).toMatchObject({
        read: [data, join(data, 'file.txt')],
        things: [expect.arrayContaining(['file.txt', 'sub']), 'x'],
      });
      expect((await cutBy(ceiling, { read: [`${data}-away`] })).read).toEqual([]);
    });

    test('and reports when they are gone', async () => {
      const file = join(data, 'file.txt');
      const ceiling = ceilingOf({ allowRead: [join(data, 'sub'), file] });
      rmSync(join(data, 'sub'), { recursive: true });
      mkdirSync(join(data, 'sub', 'below'), { recursive: true });
      rmSync(file);
      const paths = [join(data, 'sub', 'below'), join(data, 'sub'), file];
      expect((await cutBy(ceiling, { read: paths })).notes).toEqual(
        paths.map(
          (path) =>
            `permissions.read ${JSON.stringify(path)} is not there any more since the configuration was read and was not granted; restart the server.`,
        ),
      );
    });

    test('and warns if they do not exist yet', async () => {
      const later = join(root, 'later');
      const ceiling = ceilingOf({ allowRead: [later] });
      expect(logger.messages).toEqual([
        `security.allowRead ${JSON.stringify(later)} does not exist; it is not granted until the server is restarted.`,
      ]);
      mkdirSync(later);
      expect((await cutBy(ceiling, { read: [later] })).read).toEqual([]);
    });

    test('and follows no link in a folder that programs may write', async () => {
      symlinkSync(join(root, 'data-old'), join(data, 'docs'));
      const grants = {
        allowWrite: [join(root, 'alias')],
        allowRead: [join(data, 'docs'), join(root, 'alias', 'docs')],
      };
      const { read: granted, notes } = await cut({ read: [join(data, 'docs'), `${data}-old`] }, grants);
      expect(granted).toEqual([]);
      expect(notes).toEqual([
        expect.stringContaining('leads through a link'),
        expect.stringContaining('is outside security.allowRead'),
      ]);
      expect(logger.messages).toEqual(
        grants.allowRead.map((path) =>
          expect.stringContaining(
            `security.allowRead ${JSON.stringify(path)} leads through a link in a folder that programs may write to`,
          ),
        ),
      );
    });

    test('and closes them once, when they are no longer needed', () => {
      const before = descriptors();
      const ceiling = ceilingOf({ allowRead: [data], allowWrite: [root] });
      expect(descriptors()).toBe(before + 2);
      ceiling.close();
      const others = [openSync(root, 'r'), openSync(root, 'r')];
      ceiling.close();
      for (const descriptor of others) expect(fstatSync(descriptor).ino).toBe(statSync(root).ino);
      others.forEach((descriptor) => closeSync(descriptor));
    });
  });
});
