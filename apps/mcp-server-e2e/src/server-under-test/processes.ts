import { readdir, readFile } from 'node:fs/promises';

import { until } from './until.js';

/** A running process, with its command line separated by blanks. */
export interface RunningProcess {
  pid: number;
  commandLine: string;
}

/** All descendants of `pid`, according to `/proc`. */
export async function descendantsOf(pid: number): Promise<RunningProcess[]> {
  const processes = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readProcess),
  );
  const found: RunningProcess[] = [];
  const parents = new Set([pid]);
  for (let grown = true; grown;) {
    grown = false;
    for (const each of processes) {
      if (!each || parents.has(each.pid) || !parents.has(each.parent)) continue;
      parents.add(each.pid);
      found.push(each);
      grown = true;
    }
  }
  return found;
}

async function readProcess(pid: string): Promise<(RunningProcess & { parent: number }) | undefined> {
  try {
    const [status, commandLine] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    // A zombie has ended; its parent has only not collected it yet.
    if (/^State:\s+Z/m.test(status)) return undefined;
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    return { pid: Number(pid), parent, commandLine: commandLine.replaceAll('\0', ' ') };
  } catch {
    return undefined;
  }
}

/** Waits until all these processes have ended. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  await until(async () =>
    (await Promise.all(pids.map((pid) => readProcess(String(pid))))).every((each) => !each),
  );
}
