import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { CodeExecutorError } from '@code-executor/contracts';

import { findDeno } from './find-deno.js';

describe('findDeno', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'find-deno-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const fakeDeno = async (name: string, output: string) => {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\necho '${output}'\n`);
    await chmod(path, 0o755);
    return path;
  };
  const refusal = async (path: string) =>
    CodeExecutorError.from(await findDeno(path).catch((reason: unknown) => reason));

  test('finds the binary of the npm package, not its wrapper', async () => {
    expect(await findDeno()).toMatch(/\/@?deno\/(.*\/)?deno$/);
  });

  test.each(['2.9.5', '2.10.0', '3.0.0'])('accepts Deno %s', async (version) => {
    const path = await fakeDeno(`deno-${version}`, `deno ${version} (stable)`);
    expect(await findDeno(path)).toBe(path);
  });

  test.each(['2.9.4', '2.7.13', '1.46.3'])('refuses Deno %s', async (version) => {
    const error = await refusal(await fakeDeno(`old-${version}`, `deno ${version} (stable)`));
    expect(error.code).toBe('failed_precondition');
    expect(error.message).toBe(
      `DENO_PATH (executors.typescript.denoPath) is Deno ${version}, which is known to leak; install 2.9.5 or newer.`,
    );
  });

  test('refuses a program that is not Deno and a missing file, without naming the path', async () => {
    for (const path of [await fakeDeno('other', 'v20.0.0'), join(folder, 'absent'), folder]) {
      const error = await refusal(path);
      expect(error.code).toBe('failed_precondition');
      expect(error.message).not.toContain(folder);
    }
  });
});
