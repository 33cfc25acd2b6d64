import { chmod, chown, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { loadConfig } from './load-config.js';

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

  // Only root can give a file away; libs/files tests the rule itself for everybody.
  if (process.getuid?.() === 0) {
    test('a file of another user', async () => {
      await writeFile(file, '{}');
      await chown(file, 12_345, 0);
      await expectRefusal('belongs to another user; make it your own with chown');
    });
  }
});
