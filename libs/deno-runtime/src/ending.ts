import type { ExecutionError, ExecutionStatus } from '@code-executor/contracts';
import type { ExitStatus } from '@code-executor/isolation';
import { maxOutstandingCalls, type SandboxFrame } from '@code-executor/sandbox-channel';

import type { ProtocolViolation } from './deno-process.js';
import { exitError } from './exit-error.js';
import { maxDiskBytes, maxStartMs } from './program-limits.js';

export type ResultFrame = Extract<SandboxFrame, { type: 'result' }>;

/** Why a program was ended: from outside, or because it broke a rule. */
export type Ending =
  'timeout' | 'slow_start' | 'cancelled' | 'too_much_disk' | 'bad_result' | 'bad_call' | ProtocolViolation;

export function statusOf(ending: Ending | ExitStatus, error: ExecutionError | undefined): ExecutionStatus {
  if (ending === 'timeout') return 'timed_out';
  if (ending === 'cancelled') return 'cancelled';
  return error ? 'failed' : 'succeeded';
}

/** Why the program did not succeed; undefined if it did. */
export function outcomeError(
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
