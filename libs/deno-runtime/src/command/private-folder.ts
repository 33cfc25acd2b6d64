import { mkdirSync, mkdtempSync, readlinkSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Process ids mean something within their namespace only, and containers may share a temp folder. */
const prefix = `code-executor-${processNamespace()}-`;
let sweep: Promise<void> | undefined;

/** Whether a folder of this name may be one of these: programs that are granted the temp folder get none of them. */
export function isPrivateFolder(name: string): boolean {
  return name.startsWith(prefix);
}

/** A folder that one process alone uses, for Deno's caches and as an empty working folder. */
export interface PrivateFolder {
  path: string;
  denoDir: string;
  workDir: string;
  /** Bytes of all files in it. */
  size(): Promise<number>;
  remove(): Promise<void>;
}

/** Creates a folder that only this user can enter. */
export function createPrivateFolder(): PrivateFolder {
  // Synchronous: two calls of microseconds, which would each wait for a thread otherwise.
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const workDir = join(path, 'work');
  mkdirSync(workDir);
  return {
    path,
    denoDir: join(path, 'deno'),
    workDir,
    size: () => sizeOf(path),
    // Deno may be writing while it is being killed.
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

/** Removes what killed servers left behind, once in the life of this one. */
export function sweepPrivateFolders(): Promise<void> {
  sweep ??= removeAbandonedFolders().catch(() => undefined);
  return sweep;
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
    if (!name.startsWith(prefix)) continue;
    const path = join(tmpdir(), name);
    const owner = Number(/^\d+/.exec(name.slice(prefix.length))?.[0] ?? process.pid);
    // The temp folder is everybody's: only what is ours is touched.
    const isOurs = (await lstat(path)).uid === process.getuid?.();
    if (isOurs && !isAlive(owner)) await rm(path, { recursive: true, force: true });
  }
}

function processNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
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
