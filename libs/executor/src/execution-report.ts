import type {
  CodeExecutorError,
  ContentBlock,
  ExecutionErrorCode,
  ExecutionResult,
  ExecutionStatus,
  FailedServer,
  IsolationMode,
  JsonValue,
} from '@code-executor/contracts';
import { summarizeCalls, type ToolCallSummary, type ToolProxy } from '@code-executor/proxy';

import type { ExecutionLanguage } from './languages/execution-language.js';
import { describePicture, isPicture, takePictures } from './returned-pictures.js';

/** The outcome of an execution with every known field; `briefReport` makes a shorter one for a model. */
export interface ExecutionReport {
  /** Whether `status` is `succeeded`. */
  success: boolean;
  status: ExecutionStatus;
  /** `exec_…`, the same in the audit record. */
  executionId: string;
  /** What the program printed to stdout; never its value. */
  output: string;
  /** What it printed to stderr, followed by a line for each permission that was not granted; absent if empty. */
  stderr?: string;
  /** The program's value, without the data of the pictures in it; absent if it has none. */
  result?: JsonValue;
  /** Why `result` is a text form or was cut, or how a program without output can give a value. */
  resultNote?: string;
  /** Whether the output or the value was cut. */
  truncated: boolean;
  /** The pictures that the program shows or returns, in order. */
  images?: { mimeType: string; bytes: number }[];
  /** The pictures themselves, as content blocks: to send beside the report, not in it. */
  content?: ContentBlock[];
  error?: string;
  errorCode?: ExecutionErrorCode;
  /** Milliseconds after which the same request may succeed, if it was refused because too much runs already. */
  retryAfterMs?: number;
  /** The program's own time, rounded; 0 if nothing ran. */
  executionTimeMs: number;
  /** Absent if nothing ran. */
  isolation?: IsolationMode;
  /** Distinct names of the tools that were called. */
  toolCallsMade: string[];
  /** One for each tool, including those whose calls were all refused because of their name or arguments. */
  toolCallSummary: ToolCallSummary[];
  /** Upstream servers whose tools could not be listed. */
  unavailableServers?: Pick<FailedServer, 'server' | 'reason' | 'fix'>[];
}

const maxLineChars = 500;
const maxPictures = 16;

/** The report of a program that ran. `notes` are lines about what it was not granted. */
export function reportResult(
  executionId: string,
  result: ExecutionResult,
  proxy: ToolProxy,
  { howToGiveValue }: Pick<ExecutionLanguage, 'howToGiveValue'>,
  notes: readonly string[],
): ExecutionReport {
  const { failedServers } = proxy;
  const stderr = withLines(result.stderr, notes);
  const shown = (result.content ?? []).filter(isPicture).slice(0, maxPictures);
  const returned =
    result.value === undefined ? undefined : takePictures(result.value, maxPictures - shown.length);
  const pictures = [...shown, ...(returned?.pictures ?? [])];
  const resultNote = result.valueNote ?? (isSilent(result) ? howToGiveValue : undefined);
  return {
    success: result.status === 'succeeded',
    status: result.status,
    executionId,
    output: result.stdout,
    ...(stderr && { stderr }),
    ...(returned && { result: returned.value }),
    ...(resultNote !== undefined && { resultNote }),
    truncated: result.truncated,
    ...(pictures.length > 0 && { images: pictures.map(describePicture), content: pictures }),
    ...(result.error && { error: result.error.message, errorCode: result.error.code }),
    executionTimeMs: Math.round(result.durationMs),
    isolation: result.isolation,
    ...summarizeCalls(proxy.calls),
    ...(failedServers.length > 0 && {
      unavailableServers: failedServers.map(({ server, reason, fix }) => ({ server, reason, fix })),
    }),
  };
}

/** Whether a program gave no output at all. It probably has an answer that it did not return. */
function isSilent({ status, value, stdout, content = [] }: ExecutionResult): boolean {
  return status === 'succeeded' && value === undefined && stdout.trim() === '' && content.length === 0;
}

/** The report of an execution that the host could not or would not run to its end. */
export function reportFault(
  executionId: string,
  error: CodeExecutorError,
  proxy: ToolProxy | undefined,
): ExecutionReport {
  return {
    success: false,
    status: error.code === 'cancelled' ? 'cancelled' : 'failed',
    executionId,
    output: '',
    truncated: false,
    error: error.message,
    errorCode: error.code,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    executionTimeMs: 0,
    ...summarizeCalls(proxy?.calls ?? []),
  };
}

/** Appends notes below what the program printed: one line each, of bounded length. */
function withLines(printed: string, lines: readonly string[]): string {
  const separator = lines.length > 0 && printed !== '' && !printed.endsWith('\n') ? '\n' : '';
  return (
    printed +
    separator +
    lines.map((line) => `${line.replace(/\s+/gu, ' ').trim().slice(0, maxLineChars)}\n`).join('')
  );
}
