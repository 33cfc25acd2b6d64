import type { ExecutionRequest } from '@code-executor/contracts';
import type { HostCallContext, HostCallTable } from '@code-executor/sandbox-channel';

export interface ProgramOptions {
  /** When the execution was requested, as given by `performance.now()`. */
  askedMs: number;
  /** The first message to the bootstrap, which contains the code. */
  run: object;
  /** The host calls that the program can make, and what they have access to. */
  hostCalls: { table: HostCallTable; context: HostCallContext };
  maxOutputChars: number;
  /**
   * A process that has not taken its program after this many milliseconds is ended, so that another process can run the
   * program. Default: no limit.
   */
  startLimitMs?: number;
  /** Added to the error of a program that ran out of memory: how much it has, by which settings. Default: nothing. */
  memoryAdvice?: string;
  /** Rewrites output and errors, so that they show what the program's author expects. */
  cleanText: (text: string) => string;
}

export type ProgramRequest = Pick<ExecutionRequest, 'timeoutMs' | 'pause' | 'signal' | 'onOutput'>;
