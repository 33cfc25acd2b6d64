import { type ChildProcess, spawn } from 'node:child_process';

/** Children lead a process group of their own, so that their descendants can be ended with them. */
export const leadsGroup = process.platform !== 'win32';

/** Signals the child and everything it started; does nothing when none of it is left. */
export function killTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (!leadsGroup) {
    // Windows has no groups and no SIGTERM: `taskkill` walks the tree, by force.
    spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () =>
      child.kill(),
    );
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is empty already.
  }
}

const alive = new Set<ChildProcess>();

/** Ends the child when this process exits without having closed it. */
export function killAtExit(child: ChildProcess): void {
  if (alive.size === 0) process.on('exit', killAll);
  alive.add(child);
  child.once('exit', () => {
    alive.delete(child);
    if (alive.size === 0) process.off('exit', killAll);
  });
}

function killAll(): void {
  for (const child of alive) killTree(child, 'SIGKILL');
}
