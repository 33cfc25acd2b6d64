import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';

import {
  CodeExecutorError,
  type ExecutionError,
  type ExecutionRequest,
  type ExecutionResult,
  type ExecutionStatus,
  type JsonValue,
} from '@code-executor/contracts';
import type { ExitStatus } from '@code-executor/isolation';
import {
  type HostCallContext,
  HostCalls,
  type HostCallTable,
  maxOutstandingCalls,
  type SandboxFrame,
} from '@code-executor/sandbox-channel';

import type { DenoProcess, ProtocolViolation } from './deno-process.js';
import { hidePaths } from './hide-paths.js';
import { OutputBuffer } from './output-buffer.js';
import { RunClock } from './run-clock.js';

/** Between SIGTERM and SIGKILL. */
const killGraceMs = 1000;
/** What a process may have on disk in portable isolation, and how often that is looked at. */
const maxDiskBytes = 32 * 1024 * 1024;
const diskWatchMs = 200;
/** How long a process may take to start and to load what the program needs. None of it is the program's own time. */
const maxStartMs = 60_000;

export interface ProgramOptions {
  /** When the program was asked for, as `performance.now()` has it. */
  askedMs: number;
  /** The first message to the bootstrap; it holds the code. */
  run: object;
  /** What the program may ask for, and what that is answered from. */
  hostCalls: { table: HostCallTable; context: HostCallContext };
  maxOutputChars: number;
  /** A process that has not taken its program after this many milliseconds is ended, for another to have it. Default: none is. */
  startLimitMs?: number;
  /** How much memory a program has, by which settings: for one that has used it up. Default: nothing is said. */
  memoryAdvice?: string;
  /** Makes text about the program what its author expects. */
  cleanText: (text: string) => string;
}

const programIsOver = new CodeExecutorError('cancelled', 'The program is over.');

type ProgramRequest = Pick<ExecutionRequest, 'timeoutMs' | 'pause' | 'signal' | 'onOutput'>;
const ranToItsEnd: ExitStatus = { code: 0, signal: undefined };

type ResultFrame = Extract<SandboxFrame, { type: 'result' }>;
/** What ended a program from outside, or that it broke the rules of the pipe. */
type Ending =
  'timeout' | 'slow_start' | 'cancelled' | 'too_much_disk' | 'bad_result' | 'bad_call' | ProtocolViolation;

/** How a run went; `hasStarted` is false when the process was gone before the program reached it. */
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
  const output = {
    stdout: new OutputBuffer(options.maxOutputChars),
    stderr: new OutputBuffer(options.maxOutputChars),
  };
  const show = (text: string) => options.cleanText(hidePaths(text, process.hiddenPaths));
  const calls = new AbortController();
  // One listener per open call; Node warns of a leak from the eleventh on.
  setMaxListeners(0, calls.signal);
  const { table, context } = options.hostCalls;
  const hostCalls = new HostCalls(table, context, (line) => process.send(line), calls.signal);
  let hasArrived = false as boolean;
  let startedMs = undefined as number | undefined;
  let clock = undefined as RunClock | undefined;
  let result: ResultFrame | undefined;

  const ending = await new Promise<Ending | ExitStatus>((resolve) => {
    process.listen({
      onOutput: ({ stream, text }) => {
        output[stream].push(text);
        request.onOutput?.({ stream, text: show(text) });
      },
      onViolation: resolve,
      onFrame: (frame, cost) => {
        if (frame.type === 'call') {
          // Its result is the last thing that a program has to say.
          if (result || !hostCalls.accept(frame, cost)) resolve('bad_call');
        } else if (frame.type === 'result') {
          // The bootstrap sends one result, and cuts it: more is the program's own doing.
          if (result || charsOf(frame.value) > options.maxOutputChars) resolve('bad_result');
          result ??= frame;
          // What was printed before is in the other pipe already.
          void process.untilRead().then(() => resolve(ranToItsEnd));
        } else {
          hasArrived = true;
          if (frame.type === 'started' && startedMs === undefined) start();
        }
      },
    });
    void process.exit.then(resolve);
    // A server that was busy for that long meets the timer first: what had come by then is read before it counts.
    const onLimit = (ms: number, act: () => void) => setTimeout(() => void process.untilRead().then(act), ms);
    const start = () => {
      startedMs = performance.now();
      const onTimeout = () => {
        if (!result) resolve('timeout');
      };
      clock = new RunClock(request.timeoutMs, request.pause, () => void process.untilRead().then(onTimeout));
    };
    const startTimer = onLimit(maxStartMs, () => {
      if (startedMs === undefined) resolve('slow_start');
    });
    const { startLimitMs } = options;
    const arrivalTimer =
      startLimitMs !== undefined &&
      onLimit(startLimitMs, () => {
        if (hasArrived) return;
        // Not heard from now on, so that another process can have the program.
        process.listen({});
        void process.kill(0);
      });
    const diskWatch = setInterval(() => {
      void process.diskBytes().then((bytes) => {
        if (bytes > maxDiskBytes) resolve('too_much_disk');
      });
    }, diskWatchMs);
    const cancel = () => resolve('cancelled');
    request.signal?.addEventListener('abort', cancel, { once: true });
    if (request.signal?.aborted) cancel();
    calls.signal.addEventListener('abort', () => {
      clock?.stop();
      clearTimeout(startTimer);
      if (arrivalTimer) clearTimeout(arrivalTimer);
      clearInterval(diskWatch);
      request.signal?.removeEventListener('abort', cancel);
    });
    void process.ready.then(() => process.send(`${JSON.stringify(options.run)}\n`));
  });

  const durationMs = clock?.usedMs ?? 0;
  // Calls still on their way are of no use to anybody now. A reason of our own: the default one costs a stack.
  calls.abort(programIsOver);
  process.listen({});
  const isAskedToEnd = ending === 'timeout' || ending === 'cancelled';
  if (isAskedToEnd) await process.kill(killGraceMs);
  // The answer first: ending a process takes the kernel a while, and it is not listened to any more.
  else setImmediate(() => void process.kill(0));

  const error = outcomeError(ending, result, request.timeoutMs, output.stderr.toString());
  const { memoryAdvice } = options;
  if (error?.code === 'out_of_memory' && memoryAdvice) error.message += `\n${memoryAdvice}`;
  return {
    hasStarted: hasArrived || isAskedToEnd || ending === 'slow_start',
    result: {
      status: statusOf(ending, error),
      stdout: show(output.stdout.toString()),
      stderr: show(withoutCrashDump(output.stderr.toString())),
      ...(!error && result?.value !== undefined && { value: result.value }),
      ...(!error && result?.note !== undefined && { valueNote: result.note }),
      ...(error && { error: { ...error, message: show(error.message) } }),
      durationMs,
      ...(startedMs !== undefined && { startupMs: startedMs - options.askedMs }),
      truncated: output.stdout.isTruncated || output.stderr.isTruncated || result?.truncated === true,
      isolation: process.isolation,
    },
  };
}

function statusOf(ending: Ending | ExitStatus, error: ExecutionError | undefined): ExecutionStatus {
  if (ending === 'timeout') return 'timed_out';
  if (ending === 'cancelled') return 'cancelled';
  return error ? 'failed' : 'succeeded';
}

/** Characters of a value, as the limits count them. */
function charsOf(value: JsonValue | undefined): number {
  return typeof value === 'string' ? value.length : value === undefined ? 0 : JSON.stringify(value).length;
}

const crashDumps = ['\n<--- Last few GCs --->', '\n#\n# Fatal '];

/**
 * V8 says farewell with heap statistics and addresses: noise to a user, and nothing of the program. No
 * pattern: text of a program must not decide how long the server looks at it.
 */
function withoutCrashDump(stderr: string): string {
  const starts = crashDumps.map((dump) => stderr.indexOf(dump)).filter((start) => start !== -1);
  if (starts.length === 0) return stderr;
  let end = Math.min(...starts);
  while (stderr[end - 1] === '\n') end--;
  return stderr.slice(0, end);
}

function outcomeError(
  ending: Ending | ExitStatus,
  result: ResultFrame | undefined,
  timeoutMs: number,
  stderr: string,
): ExecutionError | undefined {
  switch (ending) {
    case 'timeout':
      return {
        code: 'deadline_exceeded',
        message: `The program did not end within ${timeoutMs} ms and was stopped; raise timeoutMs or do less at a time.`,
      };
    case 'slow_start':
      return {
        code: 'unavailable',
        message: `The sandbox was not ready within ${maxStartMs / 1000} s, and the program did not run; the machine is too busy. Try again later.`,
      };
    case 'cancelled':
      return { code: 'cancelled', message: 'The execution was cancelled and the program stopped.' };
    case 'too_much_output':
      return {
        code: 'resource_exhausted',
        message: 'The program was stopped because it printed too much; print less.',
      };
    case 'too_much_disk':
      return {
        code: 'resource_exhausted',
        message: `The program was stopped because it stored more than ${maxDiskBytes / 1024 / 1024} MB on disk.`,
      };
    case 'bad_call':
      return {
        code: 'resource_exhausted',
        message: `The program was stopped because more than ${maxOutstandingCalls} of its calls waited at once, or because it wrote to the pipe that carries them.`,
      };
    case 'bad_result':
    case 'oversized_frame':
    case 'malformed_frame':
      return {
        code: 'user_error',
        message: 'The program was stopped because it wrote to the pipe that carries its calls.',
      };
    default:
      return result ? result.error : exitError(ending, stderr);
  }
}

/** Numbers of signals that V8 or the kernel end a process with. */
const signals = { illegal: 4, trap: 5, abort: 6, kill: 9, segmentation: 11, cpu: 24, fileSize: 25 };

/** How Deno aborts where V8 had no part in it; there is no other sign than this text. */
const failedAllocation = /^memory allocation of \d+ bytes failed$/m;

function exitError({ code, signal }: ExitStatus, stderr: string): ExecutionError {
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
