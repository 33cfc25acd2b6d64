import { ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';

import type { CallUnderWay } from '../calls/call-under-way.js';
import { inputRequestsOf } from '../questions/input-requests.js';
import { loginRequestsOf } from '../questions/login-requests.js';
import type { ToolOutcome } from '../../tool.js';

/** The name of the extension. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** How long a task and its result are kept, from its creation. A run with all its waits is shorter. */
export const taskTtlMs = 30 * 60_000;
const pollIntervalMs = 1000;

/** What every view of a task has. */
interface TaskFields {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
}

/** A task as a client sees it that has just been given one. */
export function createdTask(call: CallUnderWay): TaskFields & { resultType: 'task' } {
  return { resultType: 'task', ...fieldsOf(call) };
}

/** The same for a client that asks, with the questions that are open, or with the result. */
export function taskView(
  call: CallUnderWay,
  toResult: (outcome: ToolOutcome) => CallToolResult,
  canOpenLinks: boolean,
): Record<string, unknown> {
  const fields = fieldsOf(call);
  if (call.hasLinks && canOpenLinks) {
    // Once, also at the end of the call; the next view is of the task itself.
    const inputRequests = { ...inputRequestsOf(call), ...loginRequestsOf(call) };
    return { ...fields, status: 'input_required', inputRequests };
  }
  switch (fields.status) {
    case 'input_required':
      return { ...fields, inputRequests: inputRequestsOf(call) };
    case 'completed':
      return {
        ...fields,
        ...(call.end && 'outcome' in call.end && { result: toResult(call.end.outcome) }),
      };
    case 'failed':
      return {
        ...fields,
        error: { code: ProtocolErrorCode.InternalError, message: 'The call failed; the log says why.' },
      };
    default:
      return { ...fields };
  }
}

function fieldsOf(call: CallUnderWay): TaskFields {
  return {
    taskId: call.id,
    status: statusOf(call),
    createdAt: call.createdAt.toISOString(),
    lastUpdatedAt: call.changedAt.toISOString(),
    ttlMs: taskTtlMs,
    pollIntervalMs,
  };
}

function statusOf(call: CallUnderWay): TaskFields['status'] {
  if (call.isCancelled) return 'cancelled';
  if (call.end) return 'outcome' in call.end ? 'completed' : 'failed';
  return call.questions.length > 0 ? 'input_required' : 'working';
}
