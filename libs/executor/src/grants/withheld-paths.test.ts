import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from '@jest/globals';
import { root, data, cut } from './ceiling-of.test.support.js';

describe('PermissionCeiling', () => {
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
