import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { loadConfig } from './load-config.js';
import { ownershipProblem } from './read-file.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  file = join(folder, '.code-executor.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Both as the file that was found and as the one that was named. */
async function refusals(): Promise<string[]> {
  const ways = [{}, { env: { CODE_EXECUTOR_CONFIG_PATH: file } }, { file }];
  return Promise.all(
    ways.map(async (way) => {
      const reason: unknown = await loadConfig({ cwd: folder, home: folder, env: {}, ...way }).catch(
        (error: unknown) => error,
      );
      if (!CodeExecutorError.is(reason)) throw new Error('expected a CodeExecutorError', { cause: reason });
      expect(reason.code).toBe('failed_precondition');
      return reason.message;
    }),
  );
}
const expectRefusal = async (what: string) => {
  const message = `File ${file} ${what}.`;
  expect(await refusals()).toEqual([message, message, message]);
};

describe('loadConfig refuses, without waiting,', () => {
  test('a directory', async () => {
    await mkdir(file);
    await expectRefusal('is a directory');
  });

  test('a FIFO that nobody writes to', async () => {
    execFileSync('mkfifo', [file]);
    await expectRefusal('is no regular file');
  });

  test('a socket', async () => {
    const server = createServer().listen(file);
    await new Promise((listening) => server.once('listening', listening));
    try {
      await expectRefusal('cannot be opened (ENXIO)');
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });

  test('a link, wherever it points', async () => {
    await writeFile(join(folder, 'target.json'), '{}');
    await symlink('target.json', file);
    await expectRefusal('is a symbolic link; name the file itself');
    await rm(file);
    await symlink('/dev/zero', file);
    await expectRefusal('is a symbolic link; name the file itself');
  });

  test('a file of 100 MB', async () => {
    await writeFile(file, '{}');
    await truncate(file, 100_000_000);
    await expectRefusal('is larger than 1 MB');
  });

  test('text in another encoding', async () => {
    await writeFile(file, '\uFEFF{}', 'utf16le');
    await expectRefusal('is not UTF-8 text');
  });

  test('a file that every user can write', async () => {
    await writeFile(file, '{}');
    await chmod(file, 0o646);
    await expectRefusal('can be written by every user; change that with chmod o-w');
  });

  // Only root can give a file away; the rule itself is tested below for everybody.
  if (process.getuid?.() === 0) {
    test('a file of another user', async () => {
      await writeFile(file, '{}');
      await chown(file, 12_345, 0);
      await expectRefusal('belongs to another user; make it your own with chown');
    });
  }
});

describe('ownershipProblem', () => {
  const [own, other, shared] = [1000, 1001, 100];
  const everyUser = 'can be written by every user; change that with chmod o-w';
  const group = 'can be written by other users of its group; change that with chmod g-w';
  test.each([
    [own, own, 0o600, undefined],
    [own, own, 0o664, undefined],
    [own, 0, 0o664, undefined],
    [own, shared, 0o644, undefined],
    [own, shared, 0o664, group],
    [own, other, 0o620, group],
    [0, 0, 0o644, undefined],
    [own, own, 0o602, everyUser],
    [0, 0, 0o666, everyUser],
    [other, other, 0o600, 'belongs to another user; make it your own with chown'],
  ])('of uid %i, gid %i and mode %o is %j', (uid, gid, mode, expected) => {
    expect(ownershipProblem({ uid, gid, mode }, { uid: own, gid: own })).toBe(expected);
  });

  test('does not take a group that all users have for the user’s own', () => {
    expect(ownershipProblem({ uid: own, gid: shared, mode: 0o664 }, { uid: own, gid: shared })).toBe(group);
  });
});
