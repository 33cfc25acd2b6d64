import { createHash } from 'node:crypto';

import type { AuditEvent, ErrorCode, ExecutionErrorCode } from '@code-executor/contracts';

import type { ExecutionReport } from './execution-report.js';

/** The audit record of an execution: of the code only its hash, of the result only how it ended. */
export function executionEvent(report: ExecutionReport, request: unknown): AuditEvent {
  const { executionId, success, isolation, errorCode, executionTimeMs } = report;
  const code =
    typeof request === 'object' && request !== null && 'code' in request ? request.code : undefined;
  return {
    type: 'execution',
    timestamp: new Date().toISOString(),
    executionId,
    status: success ? 'success' : isolation ? 'failure' : 'rejected',
    ...(errorCode && isHostCode(errorCode) && { errorCode }),
    durationMs: executionTimeMs,
    ...(typeof code === 'string' && { codeHash: createHash('sha256').update(code).digest('hex') }),
  };
}

const programCodes: readonly ExecutionErrorCode[] = [
  'user_error',
  'out_of_memory',
  'ended_early',
  'not_serializable',
];

function isHostCode(code: ExecutionErrorCode): code is ErrorCode {
  return !programCodes.includes(code);
}
