import type { ErrorCode } from '@code-executor/contracts';

/** One tool call of an execution. */
export interface ToolCall {
  /** As the code wrote it, cut to 256 characters; its JSON if it was not text. */
  toolName: string;
  /** The server that offers the tool; absent if the call was refused before it was known. */
  server?: string;
  /** `rejected` calls were refused here; the others reached the upstream server. `running` ones wait for it. */
  status: 'running' | 'success' | 'failure' | 'rejected';
  /** How long the upstream server took, in milliseconds; 0 for calls that did not reach it. */
  durationMs: number;
  /** The part of it that was spent waiting for a free place; absent if the source does not report it. */
  queuedMs?: number;
  /** Bytes of the result as JSON; absent if there is none. */
  resultBytes?: number;
  /** ISO 8601. */
  startedAt: string;
  /** Why it failed, cut to 500 characters. */
  errorMessage?: string;
  /** `tool_error`: the tool itself answered with an error. */
  errorCode?: ErrorCode | 'tool_error';
}

/** All calls of an execution to one tool. */
export interface ToolCallSummary {
  toolName: string;
  callCount: number;
  successCount: number;
  errorCount: number;
  /** Milliseconds, like all durations here, rounded. */
  totalDurationMs: number;
  averageDurationMs: number;
  lastCallDurationMs?: number;
  lastCallStatus?: 'success' | 'error';
  lastErrorMessage?: string;
  /** ISO 8601. */
  lastCalledAt?: string;
}

/**
 * The tools that were called, and the outcome for each tool. Calls that were refused because of their name or their
 * arguments are errors in the summary. Those that the policy or the budget refused, or that were cancelled before
 * they began, are in neither; `calls` has them.
 */
export function summarizeCalls(calls: readonly ToolCall[]): {
  /** Distinct names, in the order of their first calls. */
  toolCallsMade: string[];
  toolCallSummary: ToolCallSummary[];
} {
  const byName = new Map<string, ToolCall[]>();
  for (const call of calls.filter(isSummarized)) {
    const others = byName.get(call.toolName);
    if (others) others.push(call);
    else byName.set(call.toolName, [call]);
  }
  return {
    toolCallsMade: [...byName].filter(([, made]) => made.some(wasSent)).map(([toolName]) => toolName),
    toolCallSummary: [...byName].map(([toolName, made]) => summarize(toolName, made)),
  };
}

function wasSent({ status }: ToolCall): boolean {
  return status !== 'rejected';
}

function isSummarized({ status, errorCode }: ToolCall): boolean {
  // A call that is refused because of its name or arguments is an error; one that policy or budget refuses is no call.
  return (
    status !== 'rejected' ||
    errorCode === 'invalid_argument' ||
    errorCode === 'not_found' ||
    errorCode === 'unavailable'
  );
}

function summarize(toolName: string, calls: readonly ToolCall[]): ToolCallSummary {
  const ended = calls.filter(({ status }) => status !== 'running');
  const succeeded = ended.filter(({ status }) => status === 'success').length;
  const totalDurationMs = ended.reduce((total, { durationMs }) => total + durationMs, 0);
  const last = ended.at(-1);
  const lastError = ended.findLast(({ errorMessage }) => errorMessage !== undefined)?.errorMessage;
  const lastCalledAt = calls.at(-1)?.startedAt;
  return {
    toolName,
    callCount: calls.length,
    successCount: succeeded,
    errorCount: ended.length - succeeded,
    totalDurationMs: Math.round(totalDurationMs),
    averageDurationMs: ended.length === 0 ? 0 : Math.round(totalDurationMs / ended.length),
    ...(last && {
      lastCallDurationMs: Math.round(last.durationMs),
      lastCallStatus: last.status === 'success' ? 'success' : 'error',
    }),
    ...(lastError !== undefined && { lastErrorMessage: lastError }),
    ...(lastCalledAt !== undefined && { lastCalledAt }),
  };
}
