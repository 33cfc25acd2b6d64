import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemCodeOf } from '@code-executor/contracts';
import { isPrivateFolder } from '@code-executor/files';

/** Process ids mean something within their namespace only, and containers may share a temp folder. */
const prefix = `code-executor-${processNamespace()}-`;
/** Holds the process id of the server: programs know the name of the folder, and should not know that. */
const ownerFile = 'owner';
/** How long a server may take to write it. */
const ownerLimitMs = 60_000;
let folder: string | undefined;
let sweep: Promise<void> | undefined;

/** Whether a folder of this name may be a server's: programs that are granted the temp folder get none of them. */
export function isServerFolder(name: string): boolean {
  return name.startsWith(prefix);
}

/**
 * The folder of this server in the temp folder, which holds those of its processes; only this user can enter it. Made
 * again, it has the name it had, if possible: caches of runtimes know files by their paths.
 */
export function openServerFolder(): string {
  if (folder !== undefined && isPrivateFolder(folder)) return folder;
  folder = makeFolder(folder);
  writeFileSync(join(folder, ownerFile), String(process.pid));
  return folder;
}

/** Removes it, once there is nothing in it that anybody uses. */
export function removeServerFolder(): void {
  if (folder !== undefined && isPrivateFolder(folder)) rmSync(folder, { recursive: true, force: true });
}

/**
 * A link in the server's folder to a file or folder of the product, for processes to find it by: they learn the path
 * by which they find something, and this one says nothing of where the product is.
 */
export function linkTo(target: string, name: string): string {
  // Links need a privilege there.
  if (process.platform === 'win32') return target;
  const app = join(openServerFolder(), 'app');
  mkdirSync(app, { recursive: true });
  for (let number = 1; ; number++) {
    const link = join(app, number === 1 ? name : `${name}-${number}`);
    const found = targetOf(link);
    if (found === undefined) symlinkSync(target, link);
    if (found === undefined || found === target) return link;
  }
}

/** Removes what killed servers left behind, once in the life of this one. */
export function sweepServerFolders(): Promise<void> {
  sweep ??= removeAbandonedFolders().catch(() => undefined);
  return sweep;
}

function makeFolder(last: string | undefined): string {
  if (last !== undefined) {
    try {
      mkdirSync(last, { mode: 0o700 });
      return last;
    } catch {
      // The name is somebody else's by now.
    }
  }
  // Synchronous: calls of microseconds, which would each wait for a thread otherwise.
  return mkdtempSync(join(tmpdir(), prefix));
}

async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const path = join(tmpdir(), name);
    if (!name.startsWith(prefix) || path === folder) continue;
    const { uid, mtimeMs } = await lstat(path);
    // The temp folder is everybody's: only what is ours is touched.
    if (uid !== process.getuid?.()) continue;
    const owner = ownerOf(path);
    const isAbandoned = owner === undefined ? Date.now() - mtimeMs > ownerLimitMs : !isAlive(owner);
    if (isAbandoned) await rm(path, { recursive: true, force: true });
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(path, ownerFile), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
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
    return systemCodeOf(error) === 'EPERM';
  }
}
