import type { ExecutionRequest } from '@code-executor/contracts';
import type { HostCallContext, HostCallTable } from '@code-executor/sandbox-channel';

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

export type ProgramRequest = Pick<ExecutionRequest, 'timeoutMs' | 'pause' | 'signal' | 'onOutput'>;
