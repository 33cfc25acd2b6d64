import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type AskEvent,
  CodeExecutorError,
  type ErrorCode,
} from '@code-executor/contracts';

import { quoteName } from '../quote.js';

type Refusal = Exclude<ApprovalOutcome, 'once' | 'run' | 'times'>;

const codes: Record<Refusal, ErrorCode> = {
  denied: 'permission_denied',
  cancelled: 'cancelled',
  timed_out: 'deadline_exceeded',
  unsupported: 'failed_precondition',
};

/** What happened, and what to do about it. */
const explanations: Record<Refusal, (name: string, why: string) => string> = {
  denied: (name) =>
    `A person was asked about this call of ${name} and did not allow it. Do not try to reach the same in another way; ask the user how to go on.`,
  cancelled: (name) =>
    `The question whether ${name} may be called was dismissed without an answer. Ask the user before you call it again.`,
  timed_out: (name) =>
    `No one answered in time whether ${name} may be called. Call it again when somebody is there to answer.`,
  unsupported: (name, why) =>
    `A person must agree to calls of ${name} (${why}), but no one can be asked here. Use another tool, or a client that can ask its user; the operator can change the rule.`,
};

/** Whether the outcome lets the call go on. An unknown one does not. */
function isApproved(outcome: ApprovalOutcome): outcome is Exclude<ApprovalOutcome, Refusal> {
  return outcome === 'once' || outcome === 'run' || outcome === 'times';
}

/** How an audit event says it: `failure` if nobody decided. */
export function askStatus(outcome: ApprovalOutcome): AskEvent['status'] {
  if (isApproved(outcome)) return 'success';
  return outcome === 'denied' ? 'rejected' : 'failure';
}

/** Throws unless the outcome lets the call go on; the code of the error says what came of the question. */
export function checkApproved(outcome: ApprovalOutcome, { toolName, server, why }: ApprovalRequest): void {
  if (isApproved(outcome)) return;
  throw new CodeExecutorError(codes[outcome], explanations[outcome](quoteName(toolName), why), {
    tool: toolName,
    ...(server !== undefined && { server }),
  });
}
