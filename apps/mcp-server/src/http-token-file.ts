import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The token of the HTTP door, for other programs of the same user. */
export interface HttpTokenFile {
  readonly path: string;
  /** Removes it, unless another server has written its own there. */
  remove(): Promise<void>;
}

/** Writes `http-token` into the home: as a whole, for the user only, and through no link. */
export async function writeHttpToken(homeDir: string, token: string): Promise<HttpTokenFile> {
  await mkdir(homeDir, { recursive: true, mode: 0o700 });
  const path = join(homeDir, 'http-token');
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    // Fails where something is; renaming then replaces what is at the path, a link itself too.
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(`${token}\n`);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return {
    path,
    async remove() {
      if (await holds(path, token)) await rm(path, { force: true });
    },
  };
}

async function holds(path: string, token: string): Promise<boolean> {
  try {
    // Windows has neither flag.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
      return buffer.toString('utf8', 0, bytesRead).trim() === token;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
