import { chmod, chown, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { beforeEach, describe, expect, test } from '@jest/globals';

import { findServers } from './find-servers.js';
import { readProject } from './project-request.js';
import {
  root,
  cwd,
  home,
  store,
  write,
  servers,
  config,
  own,
  places,
  found,
  trust,
  workIn,
} from './trust.test.support.js';

describe('a file cannot be trusted if it is', () => {
  const trusting = { CODE_EXECUTOR_TRUST_PROJECT: '1' };
  const cases: [string, (path: string) => Promise<unknown>, string][] = [
    ['a file that every user can write', (path) => chmod(path, 0o666), 'can be written by every user'],
    [
      'a link',
      async (path) => {
        await rm(path);
        await symlink(join(root, 'target.json'), path);
      },
      'is a symbolic link',
    ],
    ...(process.getuid?.() === 0
      ? [
          [
            'a file of another user',
            (path: string) => chown(path, 12_345, 0),
            'belongs to another user',
          ] satisfies [string, (path: string) => Promise<unknown>, string],
          [
            'a file that a group of others can write',
            async (path: string) => {
              await chown(path, 0, 12_345);
              await chmod(path, 0o664);
            },
            'can be written by other users of its group',
          ] satisfies [string, (path: string) => Promise<unknown>, string],
        ]
      : []),
  ];
  test.each(cases)('%s', async (_name, spoil, what) => {
    const content = { mcpServers: { a: { command: 'evil' } }, log: { level: 'debug' } };
    await write(join(root, 'target.json'), content);
    for (const name of ['.mcp.json', '.code-executor.json']) await write(join(cwd, name), content);
    await trust();
    for (const name of ['.mcp.json', '.code-executor.json']) await spoil(join(cwd, name));
    for (const env of [{}, trusting]) {
      expect(await found(env)).toEqual({
        config: {},
        servers: {},
        unusable: [],
        warnings: [expect.stringContaining(what), expect.stringContaining(what)],
      });
    }
    expect((await readProject(places())).problems).toEqual([
      expect.stringContaining(what),
      expect.stringContaining(what),
    ]);
  });
});

describe('the list of what is trusted', () => {
  test('is ignored if others can write it, or its folder', async () => {
    await servers({ a: { command: 'x' } });
    await trust();
    await chmod(store, 0o666);
    expect(await found()).toMatchObject({
      servers: {},
      warnings: expect.arrayContaining([expect.stringContaining('No project is trusted: File ')]) as unknown,
    });
    await chmod(store, 0o600);
    await chmod(dirname(store), 0o777);
    expect((await found()).servers).toEqual({});
    await chmod(dirname(store), 0o700);
    expect((await found()).servers).toEqual({ a: { command: 'x' } });
  });

  test('is not overwritten if it is damaged', async () => {
    await servers({ a: { command: 'x' } });
    await write(store, '{ "files": 5 }');
    expect((await found()).warnings[0]).toBe(
      `No project is trusted: File ${store} is damaged; delete it, and trust your projects again.`,
    );
    await expect(trust()).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await readFile(store, 'utf8')).toBe('{ "files": 5 }');
  });

  test('is not taken from the project, nor a configuration', async () => {
    await servers({ a: { command: 'x' } });
    await trust();
    const inside = join(cwd, 'sub', '.home');
    await write(join(inside, 'trusted-projects.json'), await readFile(store, 'utf8'));
    await write(join(inside, 'config.json'), { log: { level: 'debug' } });
    await symlink(inside, join(root, 'outside'));
    for (const CODE_EXECUTOR_HOME of ['sub/.home', inside, join(root, 'outside')]) {
      await expect(found({ CODE_EXECUTOR_HOME })).rejects.toMatchObject({
        code: 'failed_precondition',
        message:
          'CODE_EXECUTOR_HOME lies in the working directory, which could bring its own; choose a folder elsewhere.',
      });
      await expect(trust({ CODE_EXECUTOR_HOME })).rejects.toMatchObject({ code: 'failed_precondition' });
      expect((await findServers({ cwd, home, env: { CODE_EXECUTOR_HOME } })).servers).toEqual({});
    }
  });
});

describe('in the home folder', () => {
  beforeEach(() => {
    workIn(home);
  });

  test('.code-executor.json is the user’s own, and .mcp.json is a suggestion', async () => {
    await own({ executors: { typescript: { denoPath: '/mine' } } });
    await servers({ a: { command: 'x' } });
    expect(await found()).toMatchObject({
      config: { executors: { typescript: { denoPath: '/mine' } } },
      servers: {},
      unusable: [{ server: 'a' }],
    });
    await trust();
    expect((await found()).servers).toEqual({ a: { command: 'x' } });
  });

  test('the same holds if a link leads to the home folder', async () => {
    await own({ log: { level: 'debug' } });
    await symlink(home, join(root, 'link'));
    workIn(join(root, 'link'));
    expect(await found()).toEqual({
      config: { log: { level: 'debug' } },
      servers: {},
      unusable: [],
      warnings: [],
    });
  });
});

describe('mcpConfigPath', () => {
  test('is the operator’s file if it is absolute, and a suggestion if it is relative', async () => {
    await write(join(cwd, 'm.json'), { mcpServers: { a: { command: 'x' } } });
    await write(join(root, 'team.json'), { mcpServers: { b: { command: 'y' } } });
    expect((await found({ MCP_CONFIG_PATH: 'm.json' })).servers).toEqual({});
    expect((await found({ MCP_CONFIG_PATH: '../team.json' })).servers).toEqual({});
    expect((await found({ MCP_CONFIG_PATH: join(root, 'team.json') })).servers).toEqual({
      b: { command: 'y' },
    });
    await trust({ MCP_CONFIG_PATH: 'm.json' });
    expect((await found({ MCP_CONFIG_PATH: 'm.json' })).servers).toEqual({ a: { command: 'x' } });
  });

  test('of a project’s file is ignored', async () => {
    await write(join(root, 'evil.json'), { mcpServers: { a: { command: 'evil' } } });
    await config({ mcpConfigPath: join(root, 'evil.json') });
    await trust();
    expect(await found()).toMatchObject({
      config: {},
      servers: {},
      warnings: [expect.stringContaining('mcpConfigPath would allow more than your own configuration does')],
    });
  });
});
