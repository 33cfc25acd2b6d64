import { createHash } from 'node:crypto';

import type {
  ErrorCode,
  ExecutionEndedEvent,
  ExecutionErrorCode,
  ExecutionStartedEvent,
} from '@code-executor/contracts';

import { codePatterns } from './code-patterns.js';
import type { ExecutionReport } from './execution-report.js';
import type { ExecutionLanguage } from './languages/execution-language.js';

/** What a record says about a program's language. */
type RecordedLanguage = Pick<ExecutionLanguage, 'name' | 'auditPatterns'>;

/** How much of a program an event has. */
export interface RecordedCode {
  /** Whether it has the text, not only the hash. */
  isWhole: boolean;
}

/** The audit event of a program that is about to run, for hosts where nothing may run without a record. */
export function startEvent(
  executionId: string,
  request: unknown,
  language: RecordedLanguage,
  recorded: RecordedCode,
): ExecutionStartedEvent {
  return {
    type: 'execution',
    timestamp: new Date().toISOString(),
    executionId,
    language: language.name,
    status: 'success',
    action: 'started',
    ...programFields(request, language, recorded),
  };
}

/** Measures of an execution that its report does not have. */
export type ExecutionMeasures = Pick<
  ExecutionEndedEvent,
  'queuedMs' | 'startupMs' | 'resultBytes' | 'returnedBytes'
>;

/** The audit event of an execution: the hash of its code or its text, and only the outcome of its result. */
export function executionEvent(
  report: ExecutionReport,
  request: unknown,
  language: RecordedLanguage,
  measures: ExecutionMeasures,
  recorded: RecordedCode,
): ExecutionEndedEvent {
  const { executionId, success, isolation, errorCode, executionTimeMs, toolCallsMade } = report;
  return {
    type: 'execution',
    timestamp: new Date().toISOString(),
    executionId,
    language: language.name,
    status: success ? 'success' : isolation ? 'failure' : 'rejected',
    ...(isolation && { isolation }),
    ...(errorCode && isHostCode(errorCode) && { errorCode }),
    durationMs: executionTimeMs,
    ...measures,
    ...programFields(request, language, recorded),
    ...(toolCallsMade.length > 0 && { toolsCalled: toolCallsMade }),
  };
}

function programFields(
  request: unknown,
  language: RecordedLanguage,
  { isWhole }: RecordedCode,
): Pick<ExecutionEndedEvent, 'codeHash' | 'codeLength' | 'code' | 'patterns' | 'allowedTools'> {
  const { code, allowedTools }: Record<string, unknown> =
    typeof request === 'object' && request !== null ? { ...request } : {};
  const patterns = typeof code === 'string' ? codePatterns(code, language) : [];
  return {
    ...(typeof code === 'string' && {
      codeHash: createHash('sha256').update(code).digest('hex'),
      codeLength: code.length,
      ...(isWhole && { code }),
    }),
    ...(patterns.length > 0 && { patterns }),
    ...(Array.isArray(allowedTools) && { allowedTools: allowedTools.filter(isText) }),
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
