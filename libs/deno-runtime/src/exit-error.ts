import type { ExecutionError } from '@code-executor/contracts';
import type { ExitStatus } from '@code-executor/isolation';

/** Numbers of signals that V8 or the kernel end a process with. */
const signals = { illegal: 4, trap: 5, abort: 6, kill: 9, segmentation: 11, cpu: 24, fileSize: 25 };

/** How Deno aborts where V8 had no part in it; there is no other sign than this text. */
const failedAllocation = /^memory allocation of \d+ bytes failed$/m;

/** Why a process that nobody stopped has ended without a result. */
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
 * V8 says farewell with heap statistics and addresses: noise to a user, and nothing of the program. No
 * pattern: text of a program must not decide how long the server looks at it.
 */
export function withoutCrashDump(stderr: string): string {
  const starts = crashDumps.map((dump) => stderr.indexOf(dump)).filter((start) => start !== -1);
  if (starts.length === 0) return stderr;
  let end = Math.min(...starts);
  while (stderr[end - 1] === '\n') end--;
  return stderr.slice(0, end);
}
