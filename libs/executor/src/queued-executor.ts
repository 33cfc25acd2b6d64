import {
  type Caller,
  CodeExecutorError,
  embedder,
  type Logger,
  type SandboxStatus,
  silentLogger,
  within,
} from '@code-executor/contracts';

import { StartApprovals } from './asking/start-approvals.js';
import { executeParameters, type ExecuteRequest } from './execute-parameters.js';
import { type Execution, type ExecutionSummary, LiveExecution } from './execution.js';
import { newExecutionId } from './execution-id.js';
import { ExecutionQueue } from './execution-queue.js';
import type { ExecutionReport } from './execution-report.js';
import { ExecutionRun, type RunParts } from './execution-run.js';
import { type ExecutionFilter, Executions } from './executions.js';
import type { ExecuteOptions, Executor, ExecutorOptions, ExecutorStats } from './executor.js';
import { PermissionCeiling } from './grants/permission-ceiling.js';
import { typescript } from './languages/typescript.js';

/** An executor; opens nothing but the files and folders of its `grants`. */
export function createExecutor(options: ExecutorOptions): Executor {
  return new QueuedExecutor(options);
}

class QueuedExecutor implements Executor {
  readonly #options: ExecutorOptions;
  readonly #logger: Logger;
  readonly #queue: ExecutionQueue;
  readonly #ceiling: PermissionCeiling;
  readonly #closing = new AbortController();
  readonly #parts: RunParts;
  readonly #executions: Executions;
  readonly #unfinished = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#queue = new ExecutionQueue(options.queue, options.languages);
    this.#executions = options.executions ?? new Executions();
    this.#ceiling = new PermissionCeiling(options.grants, this.#logger);
    this.#parts = {
      options,
      parameters: executeParameters(options.limits),
      queue: this.#queue,
      ceiling: this.#ceiling,
      startApprovals: new StartApprovals(options.queue?.maxQueued),
      logger: this.#logger,
      closing: this.#closing.signal,
      isClosing: () => this.#isClosing,
      countLive: (caller) => this.#executions.countLive(caller),
    };
  }

  get stats(): ExecutorStats {
    return { ...this.#queue.stats, finished: this.#executions.finished };
  }

  status(): Promise<SandboxStatus[]> {
    return Promise.all(
      this.#options.languages.map(({ name: language, sandbox }) =>
        sandbox.status().catch((reason: unknown) => {
          this.#logger.error({ language, err: reason }, 'The status of a sandbox cannot be read.');
          return { language, note: CodeExecutorError.from(reason).message };
        }),
      ),
    );
  }

  start(request: ExecuteRequest, options: ExecuteOptions = {}): Execution {
    const { language = typescript.name, caller = embedder, canAsk } = options;
    const identity = { id: newExecutionId(), language, caller, canAsk };
    const execution = new LiveExecution(identity, this.#queue, (started) =>
      new ExecutionRun(this.#parts, started, request, options).report(),
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

  cancelAll(caller: Caller, reason?: string): void {
    this.#executions.cancelAll(caller, reason);
  }

  async close({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    this.#isClosing = true;
    if (drainMs > 0) await this.#drain(drainMs);
    this.#closing.abort();
    const closed = await Promise.allSettled(this.#options.languages.map(({ sandbox }) => sandbox.close()));
    await Promise.all(this.#unfinished);
    this.#ceiling.close();
    // Only now, so that a sandbox that fails to close does not keep others open.
    const failure = closed.find((outcome) => outcome.status === 'rejected');
    if (failure) throw CodeExecutorError.from(failure.reason);
  }

  /** Resolves when nothing is under way any more, the time is over, or another call closes at once. */
  async #drain(drainMs: number): Promise<void> {
    await within(drainMs, Promise.all(this.#unfinished), this.#closing.signal);
  }
}
