import { CodeExecutorError, type Language } from '@code-executor/contracts';
import PQueue from 'p-queue';

import type { ExecutionLanguage } from './languages/execution-language.js';

export interface QueueOptions {
  /** Executions that run at once. Default 16. */
  maxConcurrent?: number;
  /** Executions that may wait for their turn; further ones are refused. Default 200. */
  maxQueued?: number;
  /** The longest wait of an execution, in milliseconds. Default 30,000. */
  queueTimeoutMs?: number;
}

/** How long callers are told to wait if the queue is full, or if an execution waited too long. */
const retryAfterFullMs = 60_000;
const retryAfterTimeoutMs = 30_000;

/** What the queue must know about a language. */
type QueuedLanguage = Pick<ExecutionLanguage, 'name' | 'title' | 'maxConcurrent'>;

/** A language with its own limit of programs that run at once. */
interface LimitedLine {
  title: string;
  queue: PQueue;
}

/**
 * First come, first served, with a limit of length and of waiting time. A language with a limit of its own has a queue
 * in front of the common one, so that its programs do not hold up those of other languages.
 */
export class ExecutionQueue {
  readonly #queue: PQueue;
  readonly #limited = new Map<Language, LimitedLine>();
  readonly #line = new Set<object>();
  readonly #maxQueued: number;
  readonly #queueTimeoutMs: number;

  constructor(options: QueueOptions = {}, languages: readonly QueuedLanguage[] = []) {
    const { maxConcurrent = 16, maxQueued = 200, queueTimeoutMs = 30_000 } = options;
    this.#queue = new PQueue({ concurrency: maxConcurrent });
    this.#maxQueued = maxQueued;
    this.#queueTimeoutMs = queueTimeoutMs;
    for (const { name, title, maxConcurrent: concurrency } of languages) {
      if (concurrency !== Infinity) this.#limited.set(name, { title, queue: new PQueue({ concurrency }) });
    }
  }

  get stats(): { running: number; waiting: number; max: number } {
    const { pending, size, concurrency } = this.#queue;
    const waiting = [...this.#limited.values()].reduce((sum, { queue }) => sum + queue.size, size);
    return { running: pending, waiting, max: concurrency };
  }

  /**
   * Runs the task when its turn comes.
   *
   * @throws CodeExecutorError `unavailable` if the queue is full or the wait too long; `cancelled` if
   * the signal fires during the wait. Once the task runs, the task itself must observe the signal.
   *
   * @param ticket - Identifies the task for `positionOf`.
   */
  async run<T>(
    task: () => Promise<T>,
    language: Language,
    signal?: AbortSignal,
    ticket: object = {},
  ): Promise<T> {
    const own = this.#limited.get(language);
    const lines = own ? [own.queue, this.#queue] : [this.#queue];
    const full = lines.find(({ pending, concurrency }) => pending >= concurrency);
    const { waiting } = this.stats;
    if (full && waiting >= this.#maxQueued) {
      throw new CodeExecutorError(
        'unavailable',
        `All ${full.concurrency} ${full === own?.queue ? `${own.title} executions` : 'executions'} are busy and ${waiting} more are waiting; try again later.`,
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
      this.#line.delete(ticket);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    this.#line.add(ticket);
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

  /** The position of a task in the queue, 1 for the first; undefined for one that does not wait. */
  positionOf(ticket: object): number | undefined {
    if (!this.#line.has(ticket)) return undefined;
    return [...this.#line].indexOf(ticket) + 1;
  }

  #waitedTooLong(): CodeExecutorError {
    return new CodeExecutorError(
      'unavailable',
      `The execution waited ${this.#queueTimeoutMs} ms for its turn in vain; try again later.`,
      { retryAfterMs: retryAfterTimeoutMs },
    );
  }
}
