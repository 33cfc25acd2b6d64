import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach } from '@jest/globals';

/** Creates a folder for each test of the file. The returned function gives the path of the current test's folder. */
export function testFolder(): () => string {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'files-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}
