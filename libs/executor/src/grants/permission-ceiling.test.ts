import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { noPermissions, type Permissions } from '@code-executor/contracts';
import { recordingLogger } from '@code-executor/contracts/testing';

import { type ExecutionGrants, PermissionCeiling } from './permission-ceiling.js';

describe('PermissionCeiling', () => {
  let root: string;
  let data: string;
  let logger: ReturnType<typeof recordingLogger>;
  const open: PermissionCeiling[] = [];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'grants-')));
    data = join(root, 'data');
    mkdirSync(join(data, 'sub'), { recursive: true });
    mkdirSync(join(root, 'data-old'));
    writeFileSync(join(data, 'file.txt'), 'x');
    writeFileSync(join(root, 'secret.txt'), 'x');
    symlinkSync(join(root, 'secret.txt'), join(data, 'way-out'));
    symlinkSync(join(root, 'nowhere'), join(data, 'dangling'));
    symlinkSync('sub', join(data, 'way-in'));
    symlinkSync(data, join(root, 'alias'));
    logger = recordingLogger();
  });
  afterEach(() => {
    for (const ceiling of open.splice(0)) ceiling.close();
    rmSync(root, { recursive: true });
  });

  const ceilingOf = (grants?: ExecutionGrants) => {
    const ceiling = new PermissionCeiling(grants, logger);
    open.push(ceiling);
    return ceiling;
  };
  /** What was granted by which name, and what it is: names of a folder's entries, or a file's content. */
  const cutBy = async (ceiling: PermissionCeiling, asked: Partial<Permissions>) => {
    const { permissions, notes, release } = await ceiling.cut({ ...noPermissions, ...asked });
    const { read, write } = permissions;
    const paths = (granted: typeof read) => granted.map(({ path }) => path);
    const things = [...read, ...write].map(({ handle: { fd } }) => contentOf(fd));
    const hidden = read.flatMap((each) => each.hidden);
    await release();
    const closed = [...read, ...write].map(({ handle }) => handle.fd);
    expect(closed).toEqual(closed.map(() => -1));
    return { read: paths(read), write: paths(write), net: permissions.net, notes, things, hidden };
  };
  const cut = (asked: Partial<Permissions>, grants?: ExecutionGrants) => cutBy(ceilingOf(grants), asked);
  const read = (paths: string[], allowRead = [data]) => cut({ read: paths }, { allowRead });

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

  describe('a withheld file', () => {
    let own: string;
    const grants = () => ({ allowRead: [root], allowWrite: [root], withheld: [own, join(data, 'own.json')] });
    beforeEach(() => {
      own = join(data, 'own');
      mkdirSync(join(own, 'sub'), { recursive: true });
      writeFileSync(join(data, 'own.json'), '{}');
    });

    test('is not granted, nor anything inside it, for reading or writing', async () => {
      const paths = [own, join(own, 'sub'), join(data, 'own.json')];
      const { read: granted, write, notes } = await cut({ read: paths, write: paths }, grants());
      expect([granted, write]).toEqual([[], []]);
      expect(notes).toEqual(
        ['read', 'write'].flatMap((kind) =>
          paths.map(
            (path) =>
              `permissions.${kind} ${JSON.stringify(path)} belongs to this server itself and was not granted.`,
          ),
        ),
      );
    });

    test('prevents writing in the folders around it, whether it exists or not', async () => {
      rmSync(own, { recursive: true });
      const { write, notes } = await cut({ write: [root, data, join(data, 'sub')] }, grants());
      expect(write).toEqual([join(data, 'sub')]);
      expect(notes).toEqual([
        `permissions.write ${JSON.stringify(root)} holds what this server is made of (data/own, data/own.json) and was not granted; name a folder inside it.`,
        `permissions.write ${JSON.stringify(data)} holds what this server is made of (own, own.json) and was not granted; name a folder inside it.`,
      ]);
    });

    test('is hidden in a folder that may be read', async () => {
      expect(await cut({ read: [root] }, grants())).toMatchObject({
        read: [root],
        hidden: [
          { path: own, isFolder: true },
          { path: join(data, 'own.json'), isFolder: false },
        ],
      });
    });

    test('is protected together with the links that lead to it, and their targets', async () => {
      mkdirSync(join(root, 'home'));
      mkdirSync(join(root, 'dotfiles'));
      writeFileSync(join(root, 'dotfiles', 'config.json'), '{}');
      symlinkSync('../dotfiles/config.json', join(root, 'home', 'config.json'));
      const withheld = [join(root, 'home', 'config.json')];
      const asked = ['home', 'dotfiles', 'data'].map((name) => join(root, name));
      const outcome = await cut({ write: asked, read: asked }, { allowWrite: [root], withheld });
      expect(outcome.write).toEqual([data]);
      expect(outcome.hidden).toEqual([{ path: join(root, 'dotfiles', 'config.json'), isFolder: false }]);
    });
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
    ['[::1]', '::1', true],
    ['::1', '::1', true],
    ['example.com', 'example.com.evil.org', false],
  ])('the ceiling %s for the host %s: %s', async (pattern, host, isGranted) => {
    const { net } = await cut({ net: [host] }, { allowNetwork: [pattern] });
    expect(net).toEqual(isGranted ? [host] : []);
  });
});

function contentOf(descriptor: number): string[] | string {
  const path = `/proc/self/fd/${descriptor}`;
  return fstatSync(descriptor).isDirectory() ? readdirSync(path) : readFileSync(path, 'utf8');
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
