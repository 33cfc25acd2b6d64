import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { makePrivateFolder, readRegularFile, replaceFile } from '@code-executor/files';

/** The token for HTTP, for other programs of the same user. */
export interface HttpTokenFile {
  readonly path: string;
  /** Removes it, unless another server has written its own there. */
  remove(): Promise<void>;
}

/** Writes `http-token` into the home: atomically, readable for the user only, and never through a link. */
export async function writeHttpToken(homeDir: string, token: string): Promise<HttpTokenFile> {
  await makePrivateFolder(homeDir);
  const path = join(homeDir, 'http-token');
  await replaceFile(path, `${token}\n`);
  return {
    path,
    async remove() {
      const file = await readRegularFile(path, { maxBytes: 1024 }).catch(() => undefined);
      if (file?.bytes.toString().trim() === token) await rm(path, { force: true });
    },
  };
}
