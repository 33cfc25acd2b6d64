import { readdirSync, readFileSync } from 'node:fs';

/**
 * Every Deno process of this machine with the given heap limit, including orphans. A test whose heap limit is
 * unique sees only its own processes.
 */
export function denoProcessesWithHeap(heapMb: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => argumentsOf(pid).includes(`--v8-flags=--max-old-space-size=${heapMb}`));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
