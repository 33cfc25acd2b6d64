import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach } from '@jest/globals';

/** A folder for each test of the file; it is there once a test has begun. */
export function testFolder(): () => string {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'files-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}
