import type { Caller } from '@code-executor/contracts';

import type { ExecutionState, ExecutionSummary, LiveExecution } from './execution.js';

export interface KeepOptions {
  /** The number of finished executions that can be looked up; the oldest beyond it are forgotten. Default 1,000. */
  maxFinished?: number;
  /** How long they can be looked up, in milliseconds. Default 300,000. */
  keepFinishedMs?: number;
}

/** Narrows a list of executions. */
export interface ExecutionFilter {
  state?: ExecutionState;
}

/** The limit of all reports and outputs of finished executions together, in bytes. */
const maxKeptBytes = 32 * 1024 * 1024;

interface Finished {
  execution: LiveExecution;
  bytes: number;
  endedMs: number;
}

/** The executions that are under way, and for a while those that have finished. Only its caller finds an execution. */
export class Executions {
  #keepMs = 0;
  #maxFinished = 0;
  readonly #live = new Map<string, LiveExecution>();
  /** In the order in which they ended. */
  readonly #finished = new Map<string, Finished>();
  #finishedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options?: KeepOptions) {
    this.keep(options);
  }

  /** Changes how many are kept, and for how long. */
  keep({ maxFinished = 1000, keepFinishedMs = 300_000 }: KeepOptions = {}): void {
    this.#maxFinished = maxFinished;
    this.#keepMs = keepFinishedMs;
    this.#forgetOld();
    this.#forgetLater();
  }

  /** The number of executions that have finished and can be looked up. */
  get finished(): number {
    this.#forgetOld();
    return this.#finished.size;
  }

  /** Adds one that has just begun. */
  add(execution: LiveExecution): void {
    this.#live.set(execution.id, execution);
    void execution.result.then(() => {
      this.#live.delete(execution.id);
      this.#keep(execution);
    });
  }

  get(id: string, caller: Caller): LiveExecution | undefined {
    this.#forgetOld();
    const execution = this.#live.get(id) ?? this.#finished.get(id)?.execution;
    return execution && isSame(execution.caller, caller) ? execution : undefined;
  }

  /** How many of this caller's executions run or wait. */
  countLive(caller: Caller): number {
    return this.#liveOf(caller).length;
  }

  /** Cancels the executions of this caller that run or wait. */
  cancelAll(caller: Caller, reason?: string): void {
    for (const execution of this.#liveOf(caller)) execution.cancel(reason);
  }

  /** The newest first. */
  list({ state }: ExecutionFilter, caller: Caller): ExecutionSummary[] {
    this.#forgetOld();
    const finished = [...this.#finished.values()].map(({ execution }) => execution);
    return [...finished, ...this.#live.values()]
      .reverse()
      .filter(
        (execution) => isSame(execution.caller, caller) && (state === undefined || execution.state === state),
      )
      .map(({ summary }) => summary)
      .sort((one, other) => other.askedAt.localeCompare(one.askedAt));
  }

  /** Forgets those that have finished. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#finished.clear();
    this.#finishedBytes = 0;
  }

  #liveOf(caller: Caller): LiveExecution[] {
    return [...this.#live.values()].filter((execution) => isSame(execution.caller, caller));
  }

  #keep(execution: LiveExecution): void {
    const bytes = execution.size;
    if (this.#maxFinished === 0 || this.#keepMs === 0 || bytes > maxKeptBytes) return;
    this.#finished.set(execution.id, { execution, bytes, endedMs: performance.now() });
    this.#finishedBytes += bytes;
    this.#forgetOld();
    if (!this.#timer) this.#forgetLater();
  }

  /** Forgets executions that are too old or too many: of these the oldest of the caller that has the most. */
  #forgetOld(): void {
    const fromMs = performance.now() - this.#keepMs;
    for (const [id, { endedMs }] of this.#finished) {
      if (endedMs > fromMs) break;
      this.#forget(id);
    }
    while (this.#finishedBytes > maxKeptBytes) this.#forget(this.#oldestOfGreediest(({ bytes }) => bytes));
    while (this.#finished.size > this.#maxFinished) this.#forget(this.#oldestOfGreediest(() => 1));
  }

  /** So that nobody loses an own result to the results of others. */
  #oldestOfGreediest(cost: (finished: Finished) => number): string {
    const callers = new Map<string, { oldest: string; cost: number }>();
    for (const [id, finished] of this.#finished) {
      const { kind, id: name } = finished.execution.caller;
      const key = `${kind} ${name}`;
      const before = callers.get(key) ?? { oldest: id, cost: 0 };
      callers.set(key, { ...before, cost: before.cost + cost(finished) });
    }
    const [greediest] = [...callers.values()].sort((one, other) => other.cost - one.cost);
    return greediest?.oldest ?? '';
  }

  #forget(id: string): void {
    this.#finishedBytes -= this.#finished.get(id)?.bytes ?? 0;
    this.#finished.delete(id);
  }

  /** Forgets the oldest one when its time is over, and those after it when theirs is. */
  #forgetLater(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [oldest] = this.#finished.values();
    if (!oldest) return;
    const restMs = oldest.endedMs + this.#keepMs - performance.now();
    this.#timer = setTimeout(() => {
      this.#forgetOld();
      this.#forgetLater();
    }, restMs + 1);
    // It must not keep the process alive.
    this.#timer.unref();
  }
}

function isSame(one: Caller, other: Caller): boolean {
  return one.kind === other.kind && one.id === other.id;
}
