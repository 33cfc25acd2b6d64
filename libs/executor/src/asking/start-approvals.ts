import { createHash } from 'node:crypto';

import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type AskEvent,
  type AuditSink,
  CodeExecutorError,
  type JsonObject,
} from '@code-executor/contracts';
import { askStatus, checkApproved } from '@code-executor/proxy';

import type { LiveExecution } from '../execution.js';

const retryAfterMs = 60_000;

/** The executions of an executor that wait for a person before they begin. They take no place in the queue. */
export class StartApprovals {
  readonly #maxWaiting: number;
  #waiting = 0;

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
    if (this.#waiting >= this.#maxWaiting) throw tooMany(this.#waiting);
    this.#waiting++;
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
      this.#waiting--;
    }
    await record(outcome);
    checkApproved(outcome, request);
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

function tooMany(waiting: number): CodeExecutorError {
  return new CodeExecutorError(
    'unavailable',
    `${waiting} programs wait for a person already; try again when they have been answered.`,
    { retryAfterMs },
  );
}
