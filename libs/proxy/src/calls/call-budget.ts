import { CodeExecutorError } from '@code-executor/contracts';

import type { CheckTime } from '../arguments/argument-validator.js';
import { countJsonBytes } from '../json-bytes.js';

/** What one execution may use up. */
export interface CallBudget {
  /** Calls that pass the policy; default 1000. The next one is refused with `resource_exhausted`. */
  maxCalls?: number;
  /** Calls under way at once; default 32. Further ones wait their turn. */
  maxConcurrent?: number;
  /** Bytes of all results together, as JSON; default 64 MiB. The result that crosses the limit is refused. */
  maxBytes?: number;
}

const mebibyte = 1024 * 1024;
/** Processor time for the checks of arguments of one execution; a thousand ordinary calls take less than one second. */
const maxCheckMs = 5_000;

/** Counts what one execution uses. */
export class BudgetMeter {
  readonly maxConcurrent: number;
  readonly checks: CheckTime = { leftMs: maxCheckMs };
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #calls = 0;
  #bytes = 0;

  constructor({ maxCalls = 1000, maxConcurrent = 32, maxBytes = 64 * mebibyte }: CallBudget = {}) {
    this.#maxCalls = atLeast(0, 'maxCalls', maxCalls);
    this.maxConcurrent = atLeast(1, 'maxConcurrent', maxConcurrent);
    this.#maxBytes = atLeast(0, 'maxBytes', maxBytes);
  }

  /** Counts a call; throws `resource_exhausted` if calls or bytes are used up. */
  takeCall(): void {
    this.checkBytes();
    if (this.#calls >= this.#maxCalls) {
      throw new CodeExecutorError(
        'resource_exhausted',
        `This execution has made its ${this.#maxCalls} tool calls; split the work over several executions (the limit is policy.budget.maxCalls).`,
      );
    }
    this.#calls++;
  }

  /** Throws `resource_exhausted` if the results so far are too large together. */
  checkBytes(): void {
    if (this.#bytes > this.#maxBytes) this.#refuseBytes();
  }

  /** Counts a result and returns its bytes; throws `resource_exhausted` if it is more than what is left. */
  takeResult(result: unknown): number {
    this.checkBytes();
    const bytes = countJsonBytes(result, this.#maxBytes - this.#bytes);
    this.#bytes += bytes;
    this.checkBytes();
    return bytes;
  }

  #refuseBytes(): never {
    const limit =
      this.#maxBytes < mebibyte ? `${this.#maxBytes} bytes` : `${+(this.#maxBytes / mebibyte).toFixed(1)} MB`;
    throw new CodeExecutorError(
      'resource_exhausted',
      `The tool results of this execution are larger than ${limit} together; ask the tools for less (the limit is policy.budget.maxBytes).`,
    );
  }
}

function atLeast(least: number, name: string, value: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new CodeExecutorError('invalid_argument', `budget.${name} must be a whole number from ${least}.`);
}
