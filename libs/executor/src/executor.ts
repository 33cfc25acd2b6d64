import type {
  Admission,
  AuditSink,
  Caller,
  CallerEvent,
  CallOptions,
  HttpFetcher,
  Language,
  Logger,
  SandboxStatus,
  ToolSource,
} from '@code-executor/contracts';
import type { CallBudget, ToolPolicy } from '@code-executor/proxy';

import type { ExecuteLimits, ExecuteRequest } from './execute-parameters.js';
import type { Execution, ExecutionSummary } from './execution.js';
import type { QueueOptions } from './execution-queue.js';
import type { ExecutionReport } from './execution-report.js';
import type { ExecutionFilter, Executions } from './executions.js';
import type { ExecutionGrants } from './grants/permission-ceiling.js';
import type { RunnableLanguage } from './languages/execution-language.js';

export interface ExecutorOptions {
  /** The upstream tools. */
  tools: ToolSource;
  /** What programs can be written in, each with its sandbox. */
  languages: readonly RunnableLanguage[];
  /** Serves granted network access; without it there is none. */
  fetcher?: HttpFetcher;
  /** Gets one `execution` event per execution, beside those of the tool calls. */
  audit?: AuditSink<CallerEvent>;
  /** Gets an `execution` event with action `started` before each program, which does not run if this rejects. */
  admit?: Admission;
  /** The ceiling of what any caller may call. Default: a caller's `allowedTools` decide alone. */
  policy?: ToolPolicy;
  /** Limits of one execution's tool calls. */
  budget?: CallBudget;
  limits?: ExecuteLimits;
  /** The ceiling of `permissions`; its files and folders are opened when the executor is made. Default: nothing. */
  grants?: ExecutionGrants;
  queue?: QueueOptions;
  /** Where executions can be looked up, by several executors together. Default: one of its own. */
  executions?: Executions;
  logger?: Logger;
}

/** What the way in decides, not what the caller sent. */
export interface ExecuteOptions extends Pick<CallOptions, 'signal' | 'traceparent'> {
  /** Default `typescript`. */
  language?: Language;
  /** Who asks: its policy bounds what the program may call, and every record names it. Default: the embedder. */
  caller?: Caller;
  /** Told about the last tool called and the last line printed, as often as that happens. */
  onProgress?: (message: string) => void;
}

export interface ExecutorStats {
  running: number;
  waiting: number;
  /** Executions that may run at once. */
  max: number;
  /** Executions that have ended and can be looked up. */
  finished: number;
}

/** Runs executions from request to report. */
export interface Executor {
  /**
   * Checks the request as unknown JSON, waits for a free place, runs the program. Never throws: bad input, a full queue
   * and faults of the host are reports, too.
   */
  start(request: ExecuteRequest, options?: ExecuteOptions): Execution;
  /** The same, where nothing but the report is of interest. */
  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecutionReport>;
  /** An execution of this caller that is under way or ended a short time ago; see `executions`. */
  get(id: string, caller: Caller): Execution | undefined;
  /** The executions of this caller that are under way or ended a short time ago, the newest first. */
  list(filter: ExecutionFilter, caller: Caller): ExecutionSummary[];
  readonly stats: ExecutorStats;
  /** What each sandbox can do on this machine; one that cannot even tell that is one that can do nothing. */
  status(): Promise<SandboxStatus[]>;
  /**
   * Refuses later executions, lets those that run and wait go on for `drainMs` (default 0), then cancels what is
   * left and ends the sandboxes. A later call with a shorter time cuts an earlier one short.
   */
  close(options?: { drainMs?: number }): Promise<void>;
}
