import type { ExecutionResult } from '@code-executor/contracts';

import type { DenoProcess } from './deno-process.js';
import { outcomeError, statusOf } from './ending.js';
import { withoutCrashDump } from './exit-error.js';
import { hidePaths } from './hide-paths.js';
import { killGraceMs } from './program-limits.js';
import type { ProgramOptions, ProgramRequest } from './program-options.js';
import { ProgramRun } from './program-run.js';

/** How a run went. `hasStarted` is false if the process was gone before it received the program. */
export interface ProgramOutcome {
  hasStarted: boolean;
  result: ExecutionResult;
}

/** Runs one program in a process that has run none before, and ends the process. */
export async function runProgram(
  process: DenoProcess,
  request: ProgramRequest,
  options: ProgramOptions,
): Promise<ProgramOutcome> {
  const run = new ProgramRun(process, request, options);
  const ending = await run.ending;
  const durationMs = run.usedMs;
  run.stopListening();
  const isAskedToEnd = ending === 'timeout' || ending === 'cancelled';
  if (isAskedToEnd) await process.kill(killGraceMs);
  // Answer first, because ending a process takes a while, and it is ignored by now.
  else setImmediate(() => void process.kill(0));

  const { result, startedMs } = run;
  const { cleanText, memoryAdvice, askedMs } = options;
  const [stdout, stderr] = [run.stdout.end(), run.stderr.end()];
  const error = outcomeError(ending, result, request.timeoutMs, stderr);
  if (error?.code === 'out_of_memory' && memoryAdvice) error.message += `\n${memoryAdvice}`;
  return {
    hasStarted: run.hasArrived || isAskedToEnd || ending === 'slow_start',
    result: {
      status: statusOf(ending, error),
      stdout: cleanText(stdout),
      stderr: cleanText(withoutCrashDump(stderr)),
      ...(!error && result?.value !== undefined && { value: result.value }),
      ...(!error && result?.note !== undefined && { valueNote: result.note }),
      ...(error && {
        error: { ...error, message: cleanText(hidePaths(error.message, process.hiddenPaths)) },
      }),
      durationMs,
      ...(startedMs !== undefined && { startupMs: startedMs - askedMs }),
      truncated: run.stdout.isTruncated || run.stderr.isTruncated || result?.truncated === true,
      isolation: process.isolation,
    },
  };
}
