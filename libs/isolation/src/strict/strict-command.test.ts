import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { shellEnvironment } from '../resource-limits.js';
import { strictCommand } from './strict-command.js';

const { PATH } = shellEnvironment;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bwrap-'));
  shellEnvironment.PATH = `${folder}:${PATH}`;
});
afterEach(async () => {
  shellEnvironment.PATH = PATH;
  await rm(folder, { recursive: true });
});

test('refuses grants if bubblewrap can mount only paths, and says what to do', async () => {
  const bubblewrapWith = async (...options: string[]) => {
    await writeFile(join(folder, 'bwrap'), `#!/bin/sh\necho '${options.join(' SRC DEST ')} SRC DEST'\n`);
    await chmod(join(folder, 'bwrap'), 0o755);
  };
  const granted = { path: '/data', handle: { fd: 0 }, hidden: [] };
  const command = (read: readonly (typeof granted)[]) =>
    strictCommand({
      program: { name: 'sh', path: '/bin/sh' },
      files: {},
      invoke: () => ({ args: [], env: {} }),
      limits: { dataMb: 256, cpuSeconds: 10 },
      grants: { read, write: [] },
    });
  await bubblewrapWith('--bind', '--ro-bind');
  await expect(command([granted])).rejects.toMatchObject({
    code: 'failed_precondition',
    message: expect.stringContaining('this bubblewrap has no --bind-fd; update it') as unknown,
  });
  expect((await command([])).isolation).toBe('strict');
  await bubblewrapWith('--bind', '--ro-bind', '--bind-fd', '--ro-bind-fd');
  expect((await command([granted])).args.join(' ')).toContain('--ro-bind-fd 4 /data');
});
