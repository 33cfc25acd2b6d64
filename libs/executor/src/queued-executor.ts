import { setMaxListeners } from 'node:events';

import {
  anySignal,
  type AuditSink,
  type Caller,
  type CallerEvent,
  CodeExecutorError,
  embedder,
  type EventMarks,
  type ExecutionEndedEvent,
  type Logger,
  type SandboxStatus,
  silentLogger,
  within,
} from '@code-executor/contracts';
import { createToolProxy, type ToolProxy } from '@code-executor/proxy';
import type { ToolForm } from '@code-executor/schema-types';

import { executeParameters, type ExecuteRequest } from './execute-parameters.js';
import { type Execution, type ExecutionSummary, LiveExecution } from './execution.js';
import { executionEvent, type ExecutionMeasures, startEvent } from './execution-event.js';
import { newExecutionId } from './execution-id.js';
import { ExecutionQueue } from './execution-queue.js';
import { type ExecutionReport, reportFault, reportResult } from './execution-report.js';
import { ExecutionTrace } from './execution-trace.js';
import { type ExecutionFilter, Executions } from './executions.js';
import type { ExecuteOptions, Executor, ExecutorOptions, ExecutorStats } from './executor.js';
import { PermissionCeiling } from './grants/permission-ceiling.js';
import { typescript } from './languages/typescript.js';
import { lastLine } from './last-line.js';

const retryAfterCloseMs = 30_000;
/** One for all: the reason that Node would make costs a stack each time. */
const executionIsOver = new CodeExecutorError('cancelled', 'The execution is over.');

/** What the tools of one execution are made with. */
interface ProxyParts {
  execution: LiveExecution;
  allowedTools: readonly string[] | undefined;
  signal: AbortSignal;
  audit: AuditSink<CallerEvent> | undefined;
  onProgress: ExecuteOptions['onProgress'];
  form: ToolForm;
}

/** An executor; opens nothing but the files and folders of its `grants`. */
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
  readonly #executions: Executions;
  readonly #unfinished = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#parameters = executeParameters(options.limits);
    this.#queue = new ExecutionQueue(options.queue, options.languages);
    this.#executions = options.executions ?? new Executions();
    this.#ceiling = new PermissionCeiling(options.grants, this.#logger);
  }

  get stats(): ExecutorStats {
    return { ...this.#queue.stats, finished: this.#executions.finished };
  }

  status(): Promise<SandboxStatus[]> {
    return Promise.all(
      this.#options.languages.map(({ name: language, sandbox }) =>
        sandbox.status().catch((reason: unknown) => {
          this.#logger.error({ language, err: reason }, 'A sandbox tells no status.');
          return { language, note: CodeExecutorError.from(reason).message };
        }),
      ),
    );
  }

  start(request: ExecuteRequest, options: ExecuteOptions = {}): Execution {
    const { language = typescript.name, caller = embedder } = options;
    const identity = { id: newExecutionId(), language, caller };
    const execution = new LiveExecution(identity, this.#queue, (started) =>
      this.#run(started, request, options),
    );
    this.#executions.add(execution);
    this.#unfinished.add(execution.result);
    void execution.result.then(() => this.#unfinished.delete(execution.result));
    return execution;
  }

  execute(request: ExecuteRequest, options?: ExecuteOptions): Promise<ExecutionReport> {
    return this.start(request, options).result;
  }

  get(id: string, caller: Caller): Execution | undefined {
    return this.#executions.get(id, caller);
  }

  list(filter: ExecutionFilter, caller: Caller): ExecutionSummary[] {
    return this.#executions.list(filter, caller);
  }

  async close({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    this.#isClosing = true;
    if (drainMs > 0) await this.#drain(drainMs);
    this.#closing.abort();
    const closed = await Promise.allSettled(this.#options.languages.map(({ sandbox }) => sandbox.close()));
    await Promise.all(this.#unfinished);
    this.#ceiling.close();
    // Only now: a sandbox that fails to close keeps no other open.
    const failure = closed.find((outcome) => outcome.status === 'rejected');
    if (failure) throw CodeExecutorError.from(failure.reason);
  }

  /** Resolves when nothing is under way any more, the time is over, or somebody else closes at once. */
  async #drain(drainMs: number): Promise<void> {
    await within(drainMs, Promise.all(this.#unfinished), this.#closing.signal);
  }

  async #run(
    execution: LiveExecution,
    request: ExecuteRequest,
    { traceparent, signal: given, onProgress }: ExecuteOptions,
  ): Promise<ExecutionReport> {
    const { id: executionId, language: name, caller } = execution;
    const language = this.#options.languages.find((candidate) => candidate.name === name);
    // A language that is not here is on record, too.
    const recorded = language ?? { name, auditPatterns: {} };
    const trace = new ExecutionTrace({ executionId, language: name, caller, traceparent });
    const marks = { correlationId: trace.correlationId, clientId: caller.id, clientKind: caller.kind };
    const audit = marked(this.#options.audit, marks);
    const admit = marked(this.#options.admit, marks);
    const ended = new AbortController();
    const signal = anySignal(ended.signal, this.#closing.signal, execution.signal, given);
    // Many calls at once may listen to it; Node warns of a leak from the eleventh on.
    setMaxListeners(0, signal);
    let proxy: ToolProxy | undefined;
    let report: ExecutionReport;
    const measures: ExecutionMeasures = { resultBytes: 0, returnedBytes: 0 };
    const followLine = onProgress && lastLine(onProgress);
    const askedMs = performance.now();
    try {
      if (!language) throw notRunHere(name);
      const checked = this.#parameters.parse(request, language);
      if (this.#isClosing) throw isShuttingDown();
      const calls = (proxy = this.#createProxy({
        execution,
        allowedTools: checked.allowedTools,
        signal,
        audit,
        onProgress,
        form: language.form,
      }));
      report = await this.#queue.run(
        async () => {
          measures.queuedMs = performance.now() - askedMs;
          execution.begin();
          // Now, not before the wait: nothing is held open for who waits.
          const { permissions, notes, release } = await this.#ceiling.cut(checked.permissions);
          try {
            if (admit) await admit(startEvent(executionId, request, language));
            if (signal.aborted) throw new CodeExecutorError('cancelled', 'The execution was cancelled.');
            const result = await language.sandbox.execute({
              code: checked.code,
              timeoutMs: checked.timeoutMs,
              pause: execution,
              permissions,
              tools: trace.around(calls),
              signal,
              ...(this.#options.fetcher && { fetcher: this.#options.fetcher }),
              onOutput(chunk) {
                execution.printed(chunk);
                followLine?.(chunk);
              },
            });
            if (result.startupMs !== undefined) measures.startupMs = result.startupMs;
            // Calls that the program left on their way upstream are of no use to anybody now; the report has them as errors.
            ended.abort(executionIsOver);
            return reportResult(executionId, result, calls, language, notes);
          } finally {
            await release();
          }
        },
        name,
        signal,
        execution,
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
    measures.returnedBytes = execution.reportBytes = Buffer.byteLength(JSON.stringify(report));
    proxy?.tellOmitted();
    if (audit) await this.#record(audit, executionEvent(report, request, recorded, measures));
    return report;
  }

  #createProxy({ execution, allowedTools, signal, audit, onProgress, form }: ProxyParts): ToolProxy {
    const { tools, policy, budget } = this.#options;
    const { id: executionId, caller } = execution;
    return createToolProxy({
      tools,
      caller,
      executionId,
      signal,
      form,
      waitForPerson: (answer) => execution.waitForPerson(answer),
      ...(allowedTools && { allowedTools }),
      ...(policy && { policy }),
      ...(budget && { budget }),
      ...(audit && { audit }),
      ...(onProgress && { onCall: (name: string) => onProgress(`calling ${name}`) }),
    });
  }

  async #record(audit: AuditSink<CallerEvent>, event: ExecutionEndedEvent): Promise<void> {
    try {
      await audit(event);
    } catch (error) {
      this.#logger.error({ executionId: event.executionId, err: error }, 'The audit record was not written.');
    }
  }
}

function isShuttingDown(): CodeExecutorError {
  return new CodeExecutorError('unavailable', 'The server is shutting down; start it again.', {
    retryAfterMs: retryAfterCloseMs,
  });
}

function notRunHere(language: string): CodeExecutorError {
  return new CodeExecutorError(
    'failed_precondition',
    `Programs in ${language} cannot run here; enable executors.${language} in the server's configuration.`,
  );
}

/** All records of one execution say whose they are, and what caused them. */
function marked<Event extends CallerEvent>(
  sink: AuditSink<Event> | undefined,
  marks: Omit<EventMarks, 'timestamp'>,
): AuditSink<Event> | undefined {
  return sink && ((event) => sink({ ...event, ...marks }));
}
