import { setMaxListeners } from 'node:events';

import {
  type Admission,
  anySignal,
  type AuditSink,
  type Caller,
  type CallerEvent,
  CodeExecutorError,
  type EventMarks,
  type ExecutionRequest,
  type ExecutionResult,
  type JsonObject,
  type Logger,
} from '@code-executor/contracts';
import { createToolProxy, type ToolProxy } from '@code-executor/proxy';

import type { StartApprovals } from './asking/start-approvals.js';
import type { CheckedRequest, ExecuteParameters } from './execute-parameters.js';
import type { LiveExecution } from './execution.js';
import { executionEvent, type ExecutionMeasures, type RecordedCode, startEvent } from './execution-event.js';
import type { ExecutionQueue } from './execution-queue.js';
import { type ExecutionReport, reportFault, reportResult } from './execution-report.js';
import { ExecutionTrace } from './execution-trace.js';
import type { ExecuteOptions, ExecutorOptions } from './executor.js';
import type { PermissionCeiling } from './grants/permission-ceiling.js';
import type { RunnableLanguage } from './languages/execution-language.js';
import { lastLine } from './last-line.js';

const retryAfterCloseMs = 30_000;
/** Most programs are over by then. */
const retryAfterOthersMs = 5000;
/** One error for all executions, because a new one costs a stack trace each time. */
const executionIsOver = new CodeExecutorError('cancelled', 'The execution is over.');

/** What all runs of an executor share. */
export interface RunParts {
  options: ExecutorOptions;
  parameters: ExecuteParameters;
  queue: ExecutionQueue;
  ceiling: PermissionCeiling;
  startApprovals: StartApprovals;
  logger: Logger;
  /** Aborts when the executor ends what is under way. */
  closing: AbortSignal;
  /** Whether later executions are refused. */
  isClosing: () => boolean;
  /** How many other executions of a caller run or wait. */
  countLive: (caller: Caller) => number;
}

/** One execution from its request to its report. */
export class ExecutionRun {
  readonly #parts: RunParts;
  readonly #execution: LiveExecution;
  readonly #request: unknown;
  readonly #onProgress: ExecuteOptions['onProgress'];
  readonly #approval: ExecuteOptions['approval'];
  readonly #offerLogin: ExecuteOptions['offerLogin'];
  readonly #language: RunnableLanguage | undefined;
  readonly #trace: ExecutionTrace;
  readonly #audit: AuditSink<CallerEvent> | undefined;
  readonly #admit: Admission | undefined;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #askedMs = performance.now();
  readonly #measures: ExecutionMeasures = { resultBytes: 0, returnedBytes: 0 };
  #proxy: ToolProxy | undefined;

  constructor(parts: RunParts, execution: LiveExecution, request: unknown, options: ExecuteOptions) {
    const { id: executionId, language, caller } = execution;
    const { traceparent, signal, onProgress, approval, offerLogin } = options;
    this.#parts = parts;
    this.#execution = execution;
    this.#request = request;
    this.#onProgress = onProgress;
    this.#approval = approval;
    this.#offerLogin = offerLogin;
    this.#language = parts.options.languages.find(({ name }) => name === language);
    this.#trace = new ExecutionTrace({ executionId, language, caller, traceparent });
    const { correlationId } = this.#trace;
    const marks = { correlationId, clientId: caller.id, clientKind: caller.kind };
    this.#audit = marked(parts.options.audit, marks);
    this.#admit = marked(parts.options.admit, marks);
    this.#signal = anySignal(this.#ended.signal, parts.closing, execution.signal, signal);
    // Many calls at once may listen to it; Node warns of a leak from the eleventh on.
    setMaxListeners(0, this.#signal);
  }

  /** Never rejects: an execution that could not run has a report, too. */
  async report(): Promise<ExecutionReport> {
    const report = await this.#run().catch((reason: unknown) => this.#fault(reason));
    const measures = this.#measures;
    this.#trace.end(report);
    const calls = this.#proxy?.calls ?? [];
    measures.resultBytes = calls.reduce((sum, { resultBytes = 0 }) => sum + resultBytes, 0);
    measures.returnedBytes = this.#execution.reportBytes = Buffer.byteLength(JSON.stringify(report));
    this.#proxy?.tellOmitted();
    await this.#record(report);
    return report;
  }

  async #run(): Promise<ExecutionReport> {
    const { parameters, queue, isClosing, countLive } = this.#parts;
    const language = this.#language;
    if (!language) throw notRunHere(this.#execution.language);
    const checked = parameters.parse(this.#request, language);
    if (isClosing()) throw isShuttingDown();
    const { caller } = this.#execution;
    const { maxExecutions = Infinity } = caller;
    if (countLive(caller) >= maxExecutions) throw tooManyAtOnce(maxExecutions);
    const proxy = this.#createProxy(checked, language);
    this.#proxy = proxy;
    // Without a needless turn of the event loop, so that the execution is in the queue when its caller gets it.
    if (this.#approval) await this.#getApproval(this.#approval);
    return queue.run(
      () => this.#takeTurn(checked, language, proxy),
      language.name,
      this.#signal,
      this.#execution,
    );
  }

  /** Before its turn, because a place in the queue should not wait for a person. */
  async #getApproval(approval: NonNullable<ExecuteOptions['approval']>): Promise<void> {
    // The request has been checked, so it is an object.
    const request = { ...approval, args: this.#request as JsonObject };
    await this.#parts.startApprovals.get(this.#execution, request, this.#signal, this.#audit);
  }

  async #takeTurn(
    checked: CheckedRequest,
    language: RunnableLanguage,
    proxy: ToolProxy,
  ): Promise<ExecutionReport> {
    this.#measures.queuedMs = performance.now() - this.#askedMs;
    this.#execution.begin();
    // Only now, so that nothing is held open for an execution that waits.
    const { permissions, notes, release } = await this.#parts.ceiling.cut(checked.permissions);
    try {
      await this.#admit?.(startEvent(this.#execution.id, this.#request, language, this.#recordedCode));
      if (this.#signal.aborted) throw new CodeExecutorError('cancelled', 'The execution was cancelled.');
      const result = await this.#execute({ ...checked, permissions }, language, proxy);
      if (result.startupMs !== undefined) this.#measures.startupMs = result.startupMs;
      // Calls that the program did not wait for are cancelled; the report has them as errors.
      this.#ended.abort(executionIsOver);
      return reportResult(this.#execution.id, result, proxy, language, notes);
    } finally {
      await release();
    }
  }

  #execute(
    { code, timeoutMs, permissions }: Pick<ExecutionRequest, 'code' | 'timeoutMs' | 'permissions'>,
    { sandbox }: RunnableLanguage,
    proxy: ToolProxy,
  ): Promise<ExecutionResult> {
    const { fetcher } = this.#parts.options;
    const followLine = this.#onProgress && lastLine(this.#onProgress);
    return sandbox.execute({
      code,
      timeoutMs,
      pause: this.#execution.pause,
      permissions,
      tools: this.#trace.around(proxy, this.#execution.pause),
      signal: this.#signal,
      ...(fetcher && { fetcher }),
      onOutput: (chunk) => {
        this.#execution.printed(chunk);
        followLine?.(chunk);
      },
    });
  }

  #createProxy({ allowedTools }: CheckedRequest, { form }: RunnableLanguage): ToolProxy {
    const { tools, policy, budget, hook } = this.#parts.options;
    const { id: executionId, caller, canAsk } = this.#execution;
    const onProgress = this.#onProgress;
    const offerLogin = this.#offerLogin;
    return createToolProxy({
      tools,
      caller,
      executionId,
      signal: this.#signal,
      form,
      ...(canAsk && { approve: (asked, signal) => this.#execution.approve(asked, signal) }),
      ...(allowedTools && { allowedTools }),
      ...(policy && { policy }),
      ...(budget && { budget }),
      ...(hook && { hook }),
      ...(offerLogin && { offerLogin }),
      ...(this.#audit && { audit: this.#audit }),
      ...(onProgress && { onCall: (name: string) => onProgress(`calling ${name}`) }),
    });
  }

  #fault(reason: unknown): ExecutionReport {
    this.#ended.abort(executionIsOver);
    const { id: executionId } = this.#execution;
    const error = CodeExecutorError.from(reason);
    // Something is wrong with this machine; the log gets more details than the caller.
    if (error.code === 'internal' || error.code === 'failed_precondition')
      this.#parts.logger.error({ executionId, err: reason }, error.message);
    return reportFault(executionId, error, this.#proxy);
  }

  get #recordedCode(): RecordedCode {
    return { isWhole: this.#parts.options.recordsCode === true };
  }

  async #record(report: ExecutionReport): Promise<void> {
    const { id: executionId, language: name } = this.#execution;
    // A request in a language that does not run here is recorded, too.
    const language = this.#language ?? { name, auditPatterns: {} };
    try {
      await this.#audit?.(
        executionEvent(report, this.#request, language, this.#measures, this.#recordedCode),
      );
    } catch (error) {
      this.#parts.logger.error({ executionId, err: error }, 'The audit record was not written.');
    }
  }
}

function isShuttingDown(): CodeExecutorError {
  return new CodeExecutorError('unavailable', 'The server is shutting down; start it again.', {
    retryAfterMs: retryAfterCloseMs,
  });
}

function tooManyAtOnce(maxExecutions: number): CodeExecutorError {
  return new CodeExecutorError(
    'resource_exhausted',
    `${maxExecutions} of your executions run or wait already, which is the limit for you; try again when one has ended.`,
    { retryAfterMs: retryAfterOthersMs },
  );
}

function notRunHere(language: string): CodeExecutorError {
  return new CodeExecutorError(
    'failed_precondition',
    `Programs in ${language} cannot run here; enable executors.${language} in the server's configuration.`,
  );
}

/** Adds the caller and the trace to each event of an execution. */
function marked<Event extends CallerEvent>(
  sink: AuditSink<Event> | undefined,
  marks: Omit<EventMarks, 'timestamp'>,
): AuditSink<Event> | undefined {
  return sink && ((event) => sink({ ...event, ...marks }));
}
