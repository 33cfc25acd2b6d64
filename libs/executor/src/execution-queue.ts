import { CodeExecutorError, type Language } from '@code-executor/contracts';
import PQueue from 'p-queue';

export interface QueueOptions {
  /** Executions that run at once. Default 16. */
  maxConcurrent?: number;
  /** Of these, Python executions, whose processes take much more memory. Default 4. */
  maxConcurrentPython?: number;
  /** Executions that may wait for their turn; further ones are refused. Default 200. */
  maxQueued?: number;
  /** Milliseconds that an execution waits at most. Default 30,000. */
  queueTimeoutMs?: number;
}

/** What a caller is told to wait when the queue is full, or when waiting in it was in vain. */
const retryAfterFullMs = 60_000;
const retryAfterTimeoutMs = 30_000;

/**
 * First come, first served, with an end to the line and to the waiting. Python has a line of its own before that
 * of all, so that what waits there stands in nobody's way.
 */
export class ExecutionQueue {
  readonly #queue: PQueue;
  readonly #python: PQueue;
  readonly #maxQueued: number;
  readonly #queueTimeoutMs: number;

  constructor(options: QueueOptions = {}) {
    const { maxConcurrent = 16, maxConcurrentPython = 4, maxQueued = 200, queueTimeoutMs = 30_000 } = options;
    this.#queue = new PQueue({ concurrency: maxConcurrent });
    this.#python = new PQueue({ concurrency: maxConcurrentPython });
    this.#maxQueued = maxQueued;
    this.#queueTimeoutMs = queueTimeoutMs;
  }

  get stats(): { running: number; waiting: number; max: number } {
    const { pending, size, concurrency } = this.#queue;
    return { running: pending, waiting: size + this.#python.size, max: concurrency };
  }

  /**
   * Runs the task when its turn comes.
   *
   * @throws CodeExecutorError `unavailable` when the queue is full or the wait too long; `cancelled`
   * when the signal fires during the wait. Once the task runs, the signal is the task's own matter.
   */
  async run<T>(task: () => Promise<T>, language: Language, signal?: AbortSignal): Promise<T> {
    const lines = language === 'python' ? [this.#python, this.#queue] : [this.#queue];
    const full = lines.find(({ pending, concurrency }) => pending >= concurrency);
    const { waiting } = this.stats;
    if (full && waiting >= this.#maxQueued) {
      throw new CodeExecutorError(
        'unavailable',
        `All ${full.concurrency} ${full === this.#python ? 'Python executions' : 'executions'} are busy and ${waiting} more are waiting; try again later.`,
        { retryAfterMs: retryAfterFullMs },
      );
    }
    const wait = new AbortController();
    const cancel = () =>
      wait.abort(new CodeExecutorError('cancelled', 'The execution was cancelled before its turn came.'));
    const timer = setTimeout(() => wait.abort(this.#waitedTooLong()), this.#queueTimeoutMs);
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    try {
      const start = () => {
        stopWaiting();
        return task();
      };
      const waitInAll = lines.reduceRight(
        (next, line) => () => line.add(next, { signal: wait.signal }),
        start,
      );
      return await waitInAll();
    } finally {
      stopWaiting();
    }
  }

  #waitedTooLong(): CodeExecutorError {
    return new CodeExecutorError(
      'unavailable',
      `The execution waited ${this.#queueTimeoutMs} ms for its turn in vain; try again later.`,
      { retryAfterMs: retryAfterTimeoutMs },
    );
  }
}
