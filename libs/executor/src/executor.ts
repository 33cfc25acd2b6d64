import type {
  Admission,
  ApprovalRequest,
  AuditSink,
  Caller,
  CallerEvent,
  CallHook,
  CallOptions,
  HttpFetcher,
  Language,
  Logger,
  SandboxStatus,
  ToolSource,
} from '@code-executor/contracts';
import type { CallBudget, ToolPolicy, ToolProxyOptions } from '@code-executor/proxy';

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
  /** The languages of programs, each with its sandbox. */
  languages: readonly RunnableLanguage[];
  /** Serves granted network access; without it there is none. */
  fetcher?: HttpFetcher;
  /** Gets one `execution` event per execution, beside those of the tool calls. */
  audit?: AuditSink<CallerEvent>;
  /** Whether `execution` events have the text of the program, beside its hash. Default: false. */
  recordsCode?: boolean;
  /** Gets an `execution` event with action `started` before each program, which does not run if this rejects. */
  admit?: Admission;
  /** The ceiling of what any caller may call. Default: a caller's `allowedTools` decide alone. */
  policy?: ToolPolicy;
  /** Limits of one execution's tool calls. */
  budget?: CallBudget;
  /** Decides about each tool call before it is made; see `ToolProxyOptions.hook`. */
  hook?: CallHook;
  limits?: ExecuteLimits;
  /** The ceiling of `permissions`; its files and folders are opened when the executor is made. Default: nothing. */
  grants?: ExecutionGrants;
  queue?: QueueOptions;
  /** Where executions are looked up; several executors may share it. Default: one of its own. */
  executions?: Executions;
  logger?: Logger;
}

/** Options that the way in decides, not the caller. */
export interface ExecuteOptions
  extends Pick<CallOptions, 'signal' | 'traceparent'>, Pick<ToolProxyOptions, 'offerLogin'> {
  /** Default `typescript`. */
  language?: Language;
  /** Who asks. Its policy bounds what the program may call, and every record names it. Default: the embedder. */
  caller?: Caller;
  /**
   * Whether whoever starts the execution shows its questions to a person, see `Execution.nextQuestion`. Otherwise calls
   * that need the agreement of one are refused. Default: false.
   */
  canAsk?: boolean;
  /** Has a person agree before the program starts: to the call of which tool, and why. Default: nobody has to. */
  approval?: Pick<ApprovalRequest, 'toolName' | 'why'>;
  /** Called with the last tool called and the last line printed, each time that one of them changes. */
  onProgress?: (message: string) => void;
}

export interface ExecutorStats {
  running: number;
  waiting: number;
  /** The number of executions that may run at once. */
  max: number;
  /** The number of executions that have ended and can be looked up. */
  finished: number;
}

/** Runs executions from request to report. */
export interface Executor {
  /**
   * Checks the request as unknown JSON, waits for a free place, runs the program. Never throws: bad input, a full queue
   * and faults of the host are reports, too.
   */
  start(request: ExecuteRequest, options?: ExecuteOptions): Execution;
  /** The same, if you need only the report. */
  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecutionReport>;
  /** An execution of this caller that is under way or ended a short time ago; see `executions`. */
  get(id: string, caller: Caller): Execution | undefined;
  /** The executions of this caller that are under way or ended a short time ago, the newest first. */
  list(filter: ExecutionFilter, caller: Caller): ExecutionSummary[];
  /** Cancels all executions of this caller that run or wait. */
  cancelAll(caller: Caller, reason?: string): void;
  readonly stats: ExecutorStats;
  /** What each sandbox can do on this machine. A sandbox whose status fails counts as one that can do nothing. */
  status(): Promise<SandboxStatus[]>;
  /**
   * Refuses later executions, lets those that run and wait go on for `drainMs` (default 0), then cancels the others and
   * closes the sandboxes. A later call with a shorter time cuts an earlier one short.
   */
  close(options?: { drainMs?: number }): Promise<void>;
}
