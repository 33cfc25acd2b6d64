import type { FailedServer } from '@code-executor/contracts';
import type { ToolCallSummary } from '@code-executor/proxy';

import type { ExecutionReport } from './execution-report.js';

/** The number of unavailable servers that are listed with a reason. */
const maxServers = 10;

/** What a report says of all calls to one tool, in brief. */
export type BriefCallSummary = Pick<
  ToolCallSummary,
  'toolName' | 'callCount' | 'totalDurationMs' | 'lastErrorMessage'
> & {
  /** Absent if there is none. */
  errorCount?: number;
};

/** A report as a model gets it. An absent field means that there is nothing to report. */
export interface BriefReport extends Omit<
  ExecutionReport,
  'content' | 'truncated' | 'toolCallsMade' | 'toolCallSummary'
> {
  /** Absent if nothing was cut. */
  truncated?: true;
  /** Absent if no tool was called. */
  toolCallsMade?: string[];
  /** Absent if there is none. */
  toolCallSummary?: BriefCallSummary[];
}

/** The report without its pictures, without empty lists, and with a few fields of each tool's calls. */
export function briefReport(report: ExecutionReport): BriefReport {
  const { truncated, toolCallsMade, toolCallSummary, unavailableServers, ...rest } = report;
  delete rest.content;
  return {
    ...rest,
    ...(truncated && { truncated }),
    ...(toolCallsMade.length > 0 && { toolCallsMade }),
    ...(toolCallSummary.length > 0 && {
      toolCallSummary: toolCallSummary.map((summary) => briefSummary(summary, report.error)),
    }),
    ...(unavailableServers && { unavailableServers: boundedList(unavailableServers) }),
  };
}

/** The first servers, which are enough to show a model that much is wrong. */
function boundedList(servers: readonly FailedServer[]): FailedServer[] {
  const more = servers.length - maxServers;
  if (more <= 0) return [...servers];
  const others = {
    server: `${more} more`,
    reason: 'They could not be listed either.',
    fix: 'health names them.',
  };
  return [...servers.slice(0, maxServers), others];
}

/** Leaves out an error message that repeats the program's own error. */
function briefSummary(summary: ToolCallSummary, error = ''): BriefCallSummary {
  const { toolName, callCount, totalDurationMs, errorCount, lastErrorMessage } = summary;
  return {
    toolName,
    callCount,
    totalDurationMs,
    ...(errorCount > 0 && { errorCount }),
    ...(lastErrorMessage !== undefined && !error.includes(lastErrorMessage) && { lastErrorMessage }),
  };
}
