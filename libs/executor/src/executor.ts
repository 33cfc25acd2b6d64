import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import {
  anySignal,
  type AuditEvent,
  type AuditSink,
  type CallOptions,
  CodeExecutorError,
  type HttpFetcher,
  type Language,
  type Logger,
  type Sandbox,
  type SandboxStatus,
  silentLogger,
  type ToolSource,
} from '@code-executor/contracts';
import { type CallBudget, createToolProxy, type ToolPolicy, type ToolProxy } from '@code-executor/proxy';

import { type ExecuteLimits, executeParameters, type ExecuteRequest } from './execute-parameters.js';
import { executionEvent, type ExecutionMeasures, startEvent } from './execution-event.js';
import { ExecutionQueue, type QueueOptions } from './execution-queue.js';
import { type ExecutionReport, reportFault, reportResult } from './execution-report.js';
import { ExecutionTrace } from './execution-trace.js';
import { type ExecutionGrants, PermissionCeiling } from './grants/permission-ceiling.js';
import { lastLine } from './last-line.js';

export interface ExecutorOptions {
  /** The upstream tools. */
  tools: ToolSource;
  /** At most one per language. */
  sandboxes: readonly Sandbox[];
  /** Serves granted network access; without it there is none. */
  fetcher?: HttpFetcher;
  /** Gets one `execution` event per execution, beside those of the tool calls. */
  audit?: AuditSink;
  /** Gets an `execution` event with action `started` before each program, which does not run if this rejects. */
  admit?: AuditSink;
  /** The ceiling of what any caller may call. Default: a caller's `allowedTools` decide alone. */
  policy?: ToolPolicy;
  /** Limits of one execution's tool calls. */
  budget?: CallBudget;
  limits?: ExecuteLimits;
  /** The ceiling of `permissions`; its files and folders are opened when the executor is made. Default: nothing. */
  grants?: ExecutionGrants;
  queue?: QueueOptions;
  logger?: Logger;
}

/** What the front door decides, not the caller. */
export interface ExecuteOptions extends CallOptions {
  /** Default `typescript`. */
  language?: Language;
  /** Who asks, for the record. */
  clientId?: string;
  /** Told about the last tool called and the last line printed, as often as that happens. */
  onProgress?: (message: string) => void;
}

export interface ExecutorStats {
  running: number;
  waiting: number;
  /** Executions that may run at once. */
  max: number;
}

/** Runs one execution from request to report. */
export interface Executor {
  /**
   * Checks the request as unknown JSON, waits for a free place, runs the program. Never rejects: bad
   * input, a full queue and faults of the host are reports too.
   */
  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecutionReport>;
  readonly stats: ExecutorStats;
  /** What each sandbox can do on this machine; one that cannot even tell that is one that can do nothing. */
  status(): Promise<SandboxStatus[]>;
  /**
   * Refuses later executions, lets those that run and wait go on for `drainMs` (default 0), then cancels what is
   * left and ends the sandboxes. A later call with a shorter time cuts an earlier one short.
   */
  close(options?: { drainMs?: number }): Promise<void>;
}

const retryAfterCloseMs = 30_000;
/** One for all: the reason that Node would make costs a stack each time. */
const executionIsOver = new CodeExecutorError('cancelled', 'The execution is over.');

export function createExecutor(options: ExecutorOptions): Executor {
  return new QueuedExecutor(options);
}

class QueuedExecutor implements Executor {
  readonly #options: ExecutorOptions;
  readonly #logger: Logger;
  readonly #parameters;
  readonly #queue: ExecutionQueue;
  readonly #ceiling: PermissionCeiling;
  readonly #closing = new AbortController();
  readonly #unfinished = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#parameters = executeParameters(options.limits);
    this.#queue = new ExecutionQueue(options.queue);
    this.#ceiling = new PermissionCeiling(options.grants, this.#logger);
  }

  get stats(): ExecutorStats {
    return this.#queue.stats;
  }

  status(): Promise<SandboxStatus[]> {
    return Promise.all(
      this.#options.sandboxes.map((sandbox) =>
        sandbox.status().catch((reason: unknown) => {
          this.#logger.error({ language: sandbox.language, err: reason }, 'A sandbox tells no status.');
          return { language: sandbox.language, note: CodeExecutorError.from(reason).message };
        }),
      ),
    );
  }

  async execute(request: ExecuteRequest, options: ExecuteOptions = {}): Promise<ExecutionReport> {
    const execution = this.#execute(request, options);
    this.#unfinished.add(execution);
    try {
      return await execution;
    } finally {
      this.#unfinished.delete(execution);
    }
  }

  async close({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    this.#isClosing = true;
    if (drainMs > 0) await this.#drain(drainMs);
    this.#closing.abort();
    const closed = await Promise.allSettled(this.#options.sandboxes.map((sandbox) => sandbox.close()));
    await Promise.all(this.#unfinished);
    this.#ceiling.close();
    // Only now: a sandbox that fails to close keeps no other open.
    const failure = closed.find((outcome) => outcome.status === 'rejected');
    if (failure) throw CodeExecutorError.from(failure.reason);
  }

  /** Resolves when nothing is under way any more, the time is over, or somebody else closes at once. */
  async #drain(drainMs: number): Promise<void> {
    const ended = new AbortController();
    const limit = delay(drainMs, undefined, { signal: anySignal(ended.signal, this.#closing.signal) });
    await Promise.race([Promise.all(this.#unfinished), limit.catch(() => undefined)]);
    ended.abort();
  }

  async #execute(request: ExecuteRequest, options: ExecuteOptions): Promise<ExecutionReport> {
    const executionId = newExecutionId();
    const { language = 'typescript', clientId } = options;
    const trace = new ExecutionTrace(executionId, language, options.traceparent);
    const marks = { correlationId: trace.correlationId, ...(clientId !== undefined && { clientId }) };
    const audit = marked(this.#options.audit, marks);
    const admit = marked(this.#options.admit, marks);
    const ended = new AbortController();
    const signal = anySignal(ended.signal, this.#closing.signal, options.signal);
    let proxy: ToolProxy | undefined;
    let report: ExecutionReport;
    const measures: ExecutionMeasures = {};
    const askedMs = performance.now();
    try {
      const checked = this.#parameters.parse(request, language);
      const sandbox = this.#sandboxFor(language);
      const calls = (proxy = this.#createProxy(executionId, checked.allowedTools, signal, audit, options));
      report = await this.#queue.run(
        async () => {
          measures.queuedMs = performance.now() - askedMs;
          // Now, not before the wait: nothing is held open for who waits.
          const { permissions, notes, release } = await this.#ceiling.cut(checked.permissions);
          try {
            if (admit) await admit(startEvent(executionId, request, language));
            if (signal.aborted) throw new CodeExecutorError('cancelled', 'The execution was cancelled.');
            const result = await sandbox.execute({
              code: checked.code,
              timeoutMs: checked.timeoutMs,
              permissions,
              tools: trace.around(calls),
              signal,
              ...(this.#options.fetcher && { fetcher: this.#options.fetcher }),
              ...(options.onProgress && { onOutput: lastLine(options.onProgress) }),
            });
            if (result.startupMs !== undefined) measures.startupMs = result.startupMs;
            // Calls that the program left on their way upstream are of no use to anybody now; the report has them as errors.
            ended.abort(executionIsOver);
            return reportResult(executionId, result, calls, language, notes);
          } finally {
            await release();
          }
        },
        language,
        signal,
      );
    } catch (reason) {
      ended.abort(executionIsOver);
      const error = CodeExecutorError.from(reason);
      // Something is wrong with this machine: callers are told less of it than the log.
      if (error.code === 'internal' || error.code === 'failed_precondition')
        this.#logger.error({ executionId, err: reason }, error.message);
      report = reportFault(executionId, error, proxy);
    }
    trace.end(report);
    measures.resultBytes = (proxy?.calls ?? []).reduce((sum, { resultBytes = 0 }) => sum + resultBytes, 0);
    proxy?.tellOmitted();
    if (audit) await this.#record(audit, executionEvent(report, request, language, measures));
    return report;
  }

  #createProxy(
    executionId: string,
    allowedTools: readonly string[] | undefined,
    signal: AbortSignal,
    audit: AuditSink | undefined,
    { language, onProgress }: ExecuteOptions,
  ): ToolProxy {
    const { tools, policy, budget } = this.#options;
    return createToolProxy({
      tools,
      executionId,
      signal,
      ...(language && { language }),
      ...(allowedTools && { allowedTools }),
      ...(policy && { policy }),
      ...(budget && { budget }),
      ...(audit && { audit }),
      ...(onProgress && { onCall: (name: string) => onProgress(`calling ${name}`) }),
    });
  }

  #sandboxFor(language: Language): Sandbox {
    if (this.#isClosing) {
      throw new CodeExecutorError('unavailable', 'The server is shutting down; start it again.', {
        retryAfterMs: retryAfterCloseMs,
      });
    }
    const sandbox = this.#options.sandboxes.find((candidate) => candidate.language === language);
    if (sandbox) return sandbox;
    throw new CodeExecutorError(
      'failed_precondition',
      `Programs in ${language} cannot run here; enable executors.${language} in the server's configuration.`,
    );
  }

  async #record(audit: AuditSink, event: AuditEvent): Promise<void> {
    try {
      await audit(event);
    } catch (error) {
      this.#logger.error({ executionId: event.executionId, err: error }, 'The audit record was not written.');
    }
  }
}

/** 64 random bits in decimal digits, which cost a model half the tokens of hexadecimal ones. */
export function newExecutionId(): string {
  return `exec_${randomBytes(8).readBigUInt64BE().toString().padStart(20, '0')}`;
}

/** All records of one execution say whose they are, and what caused them. */
function marked(
  sink: AuditSink | undefined,
  marks: Pick<AuditEvent, 'correlationId' | 'clientId'>,
): AuditSink | undefined {
  return sink && ((event) => sink({ ...event, ...marks }));
}
