import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';

/** The size of a page, 4 KiB: Linux uses it on x64, and Deno is built for it on arm64. */
const pageMb = 4096 / 1024 / 1024;

/**
 * Resident memory of a process and all its descendants, in MiB; 0 if there is no `/proc`. In
 * strict isolation Deno is a grandchild of the process that was started.
 */
export function residentMb(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const pages = Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0);
  return childrenOf(pid).reduce((sum, child) => sum + residentMb(child), pages * pageMb);
}

/** Follows a process to its first child, that one's first child, and so on. Inside walls, the last is the program. */
export function innermost(pid: number | undefined): number | undefined {
  const [child] = pid === undefined ? [] : childrenOf(pid);
  return child === undefined ? pid : innermost(child);
}

/** Whether a process is stopped, traced or dead, so that it would not answer. */
export function isHalted(pid: number | undefined): boolean {
  if (process.platform !== 'linux') return false;
  if (pid === undefined) return true;
  // The state follows the name, which is in parentheses and may hold any character.
  const state = /\) (\S)/.exec(read(`/proc/${pid}/stat`).slice(-400))?.[1] ?? 'X';
  return 'TtZX'.includes(state);
}

/**
 * Bytes of deleted files that a process still holds open, such as the temporary files of SQLite; 0 if there is no
 * `/proc`.
 */
export async function namelessFileBytes(pid: number | undefined): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const descriptors = pid === undefined ? [] : await readdir(folder).catch(() => []);
  const sizes = descriptors.map((descriptor) =>
    stat(`${folder}/${descriptor}`).then(
      (file) => (file.isFile() && file.nlink === 0 ? file.size : 0),
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
