import type { ApprovalOutcome, ApprovalRequest } from '@code-executor/contracts';

import type { ProxyCall } from '../calls/proxy-call.js';
import { askStatus, checkApproved } from './check-approved.js';

/** Waits until a person has agreed to the call; rejects if that does not happen. */
export async function getApproval(call: ProxyCall, why: string): Promise<void> {
  const { name: toolName, args, tool, parts, signal } = call;
  const request: ApprovalRequest = { toolName, server: tool.server, args, why };
  const sinceMs = performance.now();
  const record = (action: ApprovalOutcome) =>
    parts.log.decided({ type: 'ask', action, status: askStatus(action) }, call, sinceMs);
  let outcome: ApprovalOutcome = 'unsupported';
  try {
    if (parts.approve) outcome = await parts.approve(request, signal);
  } catch (reason) {
    // The execution has ended, or has asked too often.
    record('cancelled');
    throw reason;
  }
  record(outcome);
  checkApproved(outcome, request);
}
