import type { ExecutionError } from '@code-executor/contracts';
import type { ExitStatus } from '@code-executor/isolation';

/** Numbers of the signals with which V8 or the kernel end a process. */
const signals = { illegal: 4, trap: 5, abort: 6, kill: 9, segmentation: 11, cpu: 24, fileSize: 25 };

/** What Deno prints if it runs out of memory outside of V8; there is no other sign of that. */
const failedAllocation = /^memory allocation of \d+ bytes failed$/m;

/** Says why a process ended without a result, although the server did not stop it. */
export function exitError({ code, signal }: ExitStatus, stderr: string): ExecutionError {
  const isOutOfMemory =
    signal === signals.trap ||
    signal === signals.kill ||
    (signal === signals.abort && failedAllocation.test(stderr));
  if (isOutOfMemory) {
    return { code: 'out_of_memory', message: 'The program used more memory than it may and was stopped.' };
  }
  switch (signal) {
    case signals.cpu:
      return {
        code: 'resource_exhausted',
        message: 'The program used more CPU time than it may and was stopped.',
      };
    case signals.fileSize:
      return {
        code: 'resource_exhausted',
        message: 'The program wrote a larger file than it may and was stopped.',
      };
    case undefined:
      return {
        code: 'ended_early',
        message: `The program ended before its value was there (exit code ${code ?? 'unknown'}): it exited by itself, or waited for a promise that nothing can settle.`,
      };
    default:
      return {
        code: 'ended_early',
        message: `The program crashed (signal ${signal}) before its value was there.`,
      };
  }
}

const crashDumps = ['\n<--- Last few GCs --->', '\n#\n# Fatal '];

/**
 * Removes the heap statistics and addresses that V8 prints when it crashes, because they say nothing about the program.
 * It uses no regular expression, so that a program's output cannot make the search slow.
 */
export function withoutCrashDump(stderr: string): string {
  const starts = crashDumps.map((dump) => stderr.indexOf(dump)).filter((start) => start !== -1);
  if (starts.length === 0) return stderr;
  let end = Math.min(...starts);
  while (stderr[end - 1] === '\n') end--;
  return stderr.slice(0, end);
}
