import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';

/** Pages of 4 KiB, which is what Linux has on x64, and what Deno is built for on arm64. */
const pageMb = 4096 / 1024 / 1024;

/**
 * Resident memory of a process and all its descendants, in MiB; 0 where there is no `/proc`. In
 * strict isolation Deno is a grandchild of the process that was started.
 */
export function residentMb(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const pages = Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0);
  return childrenOf(pid).reduce((sum, child) => sum + residentMb(child), pages * pageMb);
}

/** The last of a process, its child, its child's child and so on: where they are walls around one, that one. */
export function innermost(pid: number | undefined): number | undefined {
  const [child] = pid === undefined ? [] : childrenOf(pid);
  return child === undefined ? pid : innermost(child);
}

/** Whether a process was stopped, is traced, or is dead: it would not answer. */
export function isHalted(pid: number | undefined): boolean {
  if (process.platform !== 'linux') return false;
  if (pid === undefined) return true;
  // The state follows the name, which is in parentheses and may hold any character.
  const state = /\) (\S)/.exec(read(`/proc/${pid}/stat`).slice(-400))?.[1] ?? 'X';
  return 'TtZX'.includes(state);
}

/**
 * Bytes of the files that a process holds open though they have no name any more, such as those that
 * SQLite spills to; 0 where there is no `/proc`.
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
