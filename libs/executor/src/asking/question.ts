import type { ApprovalRequest } from '@code-executor/contracts';

/** A call that waits for the answer of a person. */
export interface WaitingCall extends ApprovalRequest {
  /** Names it in an answer; unique in the execution. */
  key: string;
}

/** What a person has to decide: one question for all calls that began to wait at about the same time. */
export interface Question {
  /** Unique in the execution, and never used again. */
  id: string;
  executionId: string;
  /** The calls that still wait, in the order in which they began to. */
  calls: readonly WaitingCall[];
}

/**
 * What the person decided about a call. `run` also allows all further calls of the same tool in this execution, `times`
 * allows so many of them, with this one. `cancelled`: the person dismissed the question.
 */
export type CallAnswer =
  { decision: 'once' | 'run' | 'denied' | 'cancelled' } | { decision: 'times'; times: number };

/** Answers by the keys of their calls. */
export type CallAnswers = Readonly<Record<string, CallAnswer>>;
