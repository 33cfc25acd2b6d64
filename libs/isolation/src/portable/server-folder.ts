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

/** Names the process namespace, because process ids are valid only in theirs and containers may share a temp folder. */
const prefix = `code-executor-${processNamespace()}-`;
/** Contains the process id of the server. It is not in the folder's name, because programs can see that. */
const ownerFile = 'owner';
/** How long a server may take to write that file. */
const ownerLimitMs = 60_000;
let folder: string | undefined;
let sweep: Promise<void> | undefined;

/** Whether a folder of this name may belong to a server. Programs never get access to it, even in a granted folder. */
export function isServerFolder(name: string): boolean {
  return name.startsWith(prefix);
}

/**
 * The folder of this server in the temp folder, which contains the folders of its processes; only this user can enter
 * it. If it is created again, it keeps its name if possible, because caches of runtimes know files by their paths.
 */
export function openServerFolder(): string {
  if (folder !== undefined && isPrivateFolder(folder)) return folder;
  folder = makeFolder(folder);
  writeFileSync(join(folder, ownerFile), String(process.pid));
  return folder;
}

/** Removes the folder. Call it only when no process uses anything in it. */
export function removeServerFolder(): void {
  if (folder !== undefined && isPrivateFolder(folder)) rmSync(folder, { recursive: true, force: true });
}

/**
 * Returns a link in the server's folder to a file or folder of the product. Processes get this link, because they can
 * see by which path they find a file, and it does not reveal where the product is installed.
 */
export function linkTo(target: string, name: string): string {
  // Creating links needs a privilege on Windows.
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

/** Removes the folders of killed servers, once in the life of this server. */
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
      // Somebody else has taken the name by now.
    }
  }
  // Synchronous, because these calls take microseconds and would otherwise each wait for a thread.
  return mkdtempSync(join(tmpdir(), prefix));
}

async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const path = join(tmpdir(), name);
    if (!name.startsWith(prefix) || path === folder) continue;
    const { uid, mtimeMs } = await lstat(path);
    // All users share the temp folder; only folders of this user are removed.
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
