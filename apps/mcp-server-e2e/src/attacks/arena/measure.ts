import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const intervalMs = 10;
const pageMib = 4096 / 1024 / 1024;

/** Calls `look` repeatedly until the work is done; resolves with the highest value that it returned. */
export async function peakWhile<T>(
  work: Promise<T>,
  look: () => number,
): Promise<{ value: T; peak: number }> {
  let isDone = false as boolean;
  const done = work.finally(() => (isDone = true));
  let peak = 0;
  while (!isDone) {
    peak = Math.max(peak, look());
    await Promise.race([done, delay(intervalMs)]).catch(() => undefined);
  }
  return { value: await done, peak };
}

/** Resident memory, in MiB, of the sandbox below a server that uses most. */
export function sandboxMemory(server: number): number {
  return Math.max(0, ...sandboxesOf(server).map((pid) => Math.max(...treeOf(pid).map(residentMib))));
}

/** The largest total size, in MiB, of the deleted files that one process of a sandbox below a server holds open. */
export function sandboxDisk(server: number): number {
  return Math.max(0, ...sandboxesOf(server).flatMap((pid) => treeOf(pid).map(deletedFilesMib)));
}

/** The children of a server that are not upstream servers. */
export function sandboxesOf(server: number): number[] {
  return childrenOf(server).filter((pid) => !read(`/proc/${pid}/cmdline`).includes('upstream-server.mjs'));
}

/** A process and its descendants; descendants come after their parents. */
export function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Resident memory of a process, in MiB; 0 if there is no such process. */
export function residentMib(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageMib;
}

function deletedFilesMib(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(folder).map((descriptor) => statSync(`${folder}/${descriptor}`));
    const deleted = files.filter((file) => file.isFile() && file.nlink === 0);
    return deleted.reduce((sum, file) => sum + file.size, 0) / 1024 / 1024;
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
