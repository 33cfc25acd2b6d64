import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'code-executor-';

/** A folder that one process alone uses, for Deno's caches and as an empty working folder. */
export interface PrivateFolder {
  path: string;
  denoDir: string;
  workDir: string;
  /** Bytes of all files in it. */
  size(): Promise<number>;
  remove(): Promise<void>;
}

/** Creates a folder that only this user can enter, and removes those that killed servers left behind. */
export async function createPrivateFolder(): Promise<PrivateFolder> {
  await removeAbandonedFolders();
  // The pid in the name tells later servers whether the owner still lives.
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const workDir = join(path, 'work');
  await mkdir(workDir);
  return {
    path,
    denoDir: join(path, 'deno'),
    workDir,
    size: () => sizeOf(path),
    // Deno may be writing while it is being killed.
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  // Files come and go while they are counted.
  const sizes = entries.map((entry) =>
    lstat(join(folder, entry)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    // Somebody else's folder cannot be removed, and is not ours to report.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
