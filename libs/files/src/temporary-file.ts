import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const pattern = /^\.code-executor-[0-9a-f]{16}\.tmp$/;
/** No write takes this long, so the process that began it was killed. */
const abandonedAfterMs = 10 * 60_000;

/** A path in the folder that nobody can guess, with a name by which `removeAbandoned` recognizes it. */
export function temporaryPath(folder: string): string {
  return join(folder, `.code-executor-${randomBytes(8).toString('hex')}.tmp`);
}

/** Removes the temporary files of processes that were killed while they wrote to this folder. */
export async function removeAbandoned(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!pattern.test(name)) continue;
    const { mtimeMs } = await lstat(join(folder, name));
    if (nowMs - mtimeMs > abandonedAfterMs) await rm(join(folder, name), { force: true });
  }
}
