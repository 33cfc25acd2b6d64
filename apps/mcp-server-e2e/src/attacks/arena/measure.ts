import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const intervalMs = 10;
const pageMib = 4096 / 1024 / 1024;

/** Looks at something again and again until the work is done; resolves with the most that it saw. */
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

/** Resident memory, in MiB, of the one sandbox below a server that has the most of it. */
export function sandboxMemory(server: number): number {
  return Math.max(0, ...sandboxesOf(server).map((pid) => Math.max(...treeOf(pid).map(residentMib))));
}

/** Bytes, in MiB, of the nameless files that one of the sandboxes below a server holds open. */
export function sandboxDisk(server: number): number {
  return Math.max(0, ...sandboxesOf(server).flatMap((pid) => treeOf(pid).map(namelessFilesMib)));
}

/** The children of a server that are no upstream servers. */
export function sandboxesOf(server: number): number[] {
  return childrenOf(server).filter((pid) => !read(`/proc/${pid}/cmdline`).includes('upstream-server.mjs'));
}

/** A process and its descendants, the innermost last. */
export function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Resident memory of a process, in MiB; 0 where there is none. */
export function residentMib(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageMib;
}

function namelessFilesMib(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(folder).map((descriptor) => statSync(`${folder}/${descriptor}`));
    const nameless = files.filter((file) => file.isFile() && file.nlink === 0);
    return nameless.reduce((sum, file) => sum + file.size, 0) / 1024 / 1024;
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
