import { execFileSync } from 'node:child_process';
import { chmod, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { findServers } from './find-servers.js';
import {
  root,
  cwd,
  home,
  projectFile,
  userFile,
  write,
  project,
  user,
  find,
} from './find-servers.test.support.js';

describe('findServers warns and leaves the others unharmed', () => {
  const good = { good: { command: 'x' } };

  test('for __proto__ in either file', async () => {
    const text = '{ "mcpServers": { "__proto__": { "command": "evil" }, "good": { "command": "x" } } }';
    await Promise.all([write(userFile, text), write(projectFile, text)]);
    const { servers, warnings } = await find();
    expect(servers).toEqual(good);
    expect(Object.getPrototypeOf(servers)).toBe(Object.prototype);
    expect(warnings).toEqual([
      `MCP server "__proto__" in ${projectFile} is left out: it is no name for a server; allowed are letters, digits, "_", "-" and ".", at most 128.`,
    ]);
  });

  test.each([
    [
      'broken JSON',
      '{ "mcpServers": {,} }',
      'is not as it should be: line 1, column 18: not valid JSON, value expected',
    ],
    ['a list of servers', '{ "mcpServers": [] }', 'has no object "mcpServers"'],
    ['another key', '{ "servers": {} }', 'has no object "mcpServers"'],
    ['a list', '[]', 'has no object "mcpServers"'],
    [
      'a deep nest',
      '['.repeat(100_000),
      'is not as it should be: line 1, column 65: nested deeper than 64 levels',
    ],
  ])('for a project file that holds %s', async (_name, text, what) => {
    await user(good);
    await write(projectFile, text);
    expect(await find()).toEqual({ servers: good, warnings: [`MCP server file ${projectFile} ${what}.`] });
  });

  test('for a broken file of the user, small or big', async () => {
    await project(good);
    await write(userFile, '{ "secret": hunter2 }');
    expect(await find()).toEqual({
      servers: good,
      warnings: [
        `MCP server file ${userFile} is not as it should be: line 1, column 13: not valid JSON, invalid symbol.`,
      ],
    });
    await write(userFile, `{ "history": "${'x'.repeat(2_000_000)}`);
    expect(await find()).toEqual({
      servers: good,
      warnings: [`MCP server file ${userFile} is not as it should be: not valid JSON.`],
    });
  });

  test('for a broken file of the user whose servers are known from before, until it is gone', async () => {
    await user({ mine: { command: 'mine' } });
    await project(good);
    const env = { CODE_EXECUTOR_TRUST_PROJECT: '1' };
    let { operatorFiles } = await findServers({ cwd, home, env });
    const again = async () => {
      const found = await findServers({ cwd, home, env: {}, operatorFiles });
      ({ operatorFiles } = found);
      return [Object.keys(found.servers), found.brokenFiles];
    };
    await writeFile(userFile, '{ "mcpServers": {');
    // The project's are not trusted by now, whatever became of the user's.
    expect(await again()).toEqual([['mine'], [userFile]]);
    expect(await again()).toEqual([['mine'], [userFile]]);
    await rm(userFile);
    expect(await again()).toEqual([[], []]);
    await writeFile(userFile, '{');
    expect(await again()).toEqual([[], [userFile]]);
  });

  test('for what is no file, without waiting', async () => {
    await project(good);
    execFileSync('mkfifo', [userFile]);
    expect(await find()).toEqual({
      servers: good,
      warnings: [`MCP servers are missing: File ${userFile} is no regular file.`],
    });
  });

  test('for broken servers of this project in the user’s file, once, and keeps the rest', async () => {
    await write(userFile, { mcpServers: good, projects: { [cwd]: { mcpServers: { bad: { command: 5 } } } } });
    const { servers, warnings } = await find();
    expect(servers).toEqual(good);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^MCP server bad in .*\.claude\.json is left out: projects\.".*"\.mcpServers\.bad\.command is a number/,
    );
    await write(userFile, { mcpServers: good, projects: { [cwd]: { mcpServers: [] } } });
    expect((await find()).warnings).toEqual([
      expect.stringMatching(/claude\.json has no object projects\..*\.mcpServers\.$/),
    ]);
    for (const projects of [null, [], { [cwd]: 'x' }, { [cwd]: {} }]) {
      await write(userFile, { mcpServers: good, projects });
      expect(await find()).toEqual({ servers: good, warnings: [] });
    }
    await write(userFile, []);
    expect((await find()).warnings).toHaveLength(1);
  });

  test('for files that are too big', async () => {
    await Promise.all([write(userFile, ''), write(projectFile, '')]);
    await Promise.all([truncate(userFile, 65 * 1024 * 1024), truncate(projectFile, 1024 * 1024 + 1)]);
    expect((await find()).warnings).toEqual([
      `MCP servers are missing: File ${userFile} is larger than 64 MB.`,
      `Nothing of the working directory's file counts: File ${projectFile} is larger than 1 MB.`,
    ]);
  });

  test('for the user’s own file where every user can write it', async () => {
    await user({ bad: { command: 'x' } });
    await chmod(userFile, 0o666);
    expect(await findServers({ cwd, home, env: {} })).toEqual({
      servers: {},
      unusable: [],
      brokenFiles: [userFile],
      operatorFiles: new Map(),
      warnings: [
        `MCP servers are missing: File ${userFile} can be written by every user; change that with chmod o-w.`,
      ],
    });
  });

  test('not for a link that the user has made', async () => {
    await write(join(root, 'dotfiles.json'), { mcpServers: good });
    await symlink(join(root, 'dotfiles.json'), userFile);
    expect(await find()).toEqual({ servers: good, warnings: [] });
  });

  test('for thousands of entries, in a hundred lines', async () => {
    await project(Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`s${index}`, {}])));
    const { servers, warnings } = await find();
    expect(servers).toEqual({});
    expect(warnings).toHaveLength(101);
    expect(warnings[0]).toContain('has more than 500 servers');
    expect(warnings[100]).toBe('401 more warnings like these.');
  });

  test('not for a big file with a long history', async () => {
    const history = Array.from({ length: 20 }, () => 'x'.repeat(1_000_000));
    await write(userFile, { history, deep: 'd', mcpServers: good });
    expect(await find()).toEqual({ servers: good, warnings: [] });
  });

  test('not for a nest that JSON.parse survives', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    await write(
      userFile,
      `{ "x": ${deep}, "mcpServers": { "good": { "command": "x" }, "bad": { "command": ${deep} } } }`,
    );
    expect(await find()).toEqual({
      servers: good,
      warnings: [
        `MCP server bad in ${userFile} is left out: mcpServers.bad.command is an array (expected non-empty string).`,
      ],
    });
  });
});
