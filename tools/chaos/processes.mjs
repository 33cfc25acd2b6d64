/** The processes of this machine, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

export function processIds() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export function descendantsOf(pid) {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The command line of a process; empty if it has ended, even if it is still a zombie. */
export function commandOf(pid) {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

export function residentMb(pid) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
