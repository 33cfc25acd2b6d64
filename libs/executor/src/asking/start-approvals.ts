import { createHash } from 'node:crypto';

import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type AskEvent,
  type AuditSink,
  type Caller,
  CodeExecutorError,
  type JsonObject,
} from '@code-executor/contracts';
import { askStatus, checkApproved } from '@code-executor/proxy';

import type { LiveExecution } from '../execution.js';

const retryAfterMs = 60_000;

/** The executions of an executor that wait for a person before they begin. They take no place in the queue. */
export class StartApprovals {
  readonly #maxWaiting: number;
  /** By caller. */
  readonly #waiting = new Map<string, number>();

  constructor(maxWaiting = 200) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves when a person has agreed to the program.
   *
   * @throws CodeExecutorError if the person does not agree, nobody can be asked, or too many programs wait for an answer.
   */
  async get(
    execution: LiveExecution,
    request: ApprovalRequest,
    signal: AbortSignal,
    audit: AuditSink<AskEvent> | undefined,
  ): Promise<void> {
    const leave = this.#enter(execution.caller);
    const sinceMs = performance.now();
    const record = (outcome: ApprovalOutcome) =>
      // Its owner reports an audit that fails.
      Promise.resolve(audit?.(askEvent(execution.id, request, outcome, sinceMs))).catch(() => undefined);
    let outcome: ApprovalOutcome;
    try {
      outcome = await execution.approve(request, signal);
    } catch (reason) {
      await record('cancelled');
      throw reason;
    } finally {
      leave();
    }
    await record(outcome);
    checkApproved(outcome, request);
  }

  /** Takes a place, and returns a function that gives it back. One caller cannot take the places of all others. */
  #enter({ kind, id }: Caller): () => void {
    const all = [...this.#waiting.values()].reduce((sum, count) => sum + count, 0);
    const caller = `${kind} ${id}`;
    const own = this.#waiting.get(caller) ?? 0;
    if (all >= this.#maxWaiting) throw tooMany(`${all} programs`);
    if (own >= Math.ceil(this.#maxWaiting / 4)) throw tooMany(`${own} of your programs`);
    this.#waiting.set(caller, own + 1);
    return () => {
      const left = (this.#waiting.get(caller) ?? 1) - 1;
      if (left > 0) this.#waiting.set(caller, left);
      else this.#waiting.delete(caller);
    };
  }
}

function askEvent(
  executionId: string,
  { toolName, args }: ApprovalRequest,
  outcome: ApprovalOutcome,
  sinceMs: number,
): AskEvent {
  return {
    type: 'ask',
    action: outcome,
    status: askStatus(outcome),
    timestamp: new Date().toISOString(),
    executionId,
    toolName,
    paramsHash: hashOf(args),
    durationMs: performance.now() - sinceMs,
  };
}

function hashOf(args: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(args)).digest('hex');
}

function tooMany(waiting: string): CodeExecutorError {
  return new CodeExecutorError(
    'unavailable',
    `${waiting} wait for a person already; try again when they have been answered.`,
    { retryAfterMs },
  );
}
