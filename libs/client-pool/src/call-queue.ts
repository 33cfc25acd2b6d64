import { CodeExecutorError, type ToolSchema, untilAborted } from '@code-executor/contracts';
import PQueue from 'p-queue';

export interface CallQueueOptions {
  /** Calls that run at once. */
  maxConcurrent: number;
  /** Calls that may wait for their turn; further ones are refused. */
  maxQueued: number;
  /** Milliseconds that a call waits at most. */
  queueTimeoutMs: number;
  /** A call was not let in, or waited in vain, for so long. */
  onRefused: (action: 'full' | 'timed_out', tool: ToolSchema, waitedMs?: number) => void;
}

/** What a caller is told to wait when the queue is full, or when waiting in it was in vain. */
const retryAfterFullMs = 60_000;
const retryAfterTimeoutMs = 30_000;

/** First come, first served, with an end to the line and to the waiting. */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #queue: PQueue;

  constructor(options: CallQueueOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.maxConcurrent });
  }

  /** Calls that run, calls that wait, and how many may run. */
  get stats(): { active: number; waiting: number; max: number } {
    const { pending, size, concurrency } = this.#queue;
    return { active: pending, waiting: size, max: concurrency };
  }

  /**
   * Waits for a turn; resolves with what ends it. The call itself is not run by the queue, which keeps what has
   * passed it for a while: results are large.
   *
   * @throws CodeExecutorError `unavailable` when the queue is full or the wait too long; the signal's reason when
   * it fires during the wait.
   */
  async turn(tool: ToolSchema, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const { pending, size, concurrency } = this.#queue;
    if (pending < concurrency) return this.#enter();
    if (size >= this.#options.maxQueued) throw this.#refusal('full', tool);
    const since = performance.now();
    const wait = new AbortController();
    const leave = () => wait.abort(signal?.reason);
    const timer = setTimeout(
      () => wait.abort(this.#refusal('timed_out', tool, performance.now() - since)),
      this.#options.queueTimeoutMs,
    );
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await untilAborted(this.#enter(wait.signal), wait.signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  #enter(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const turn = () => new Promise<void>((endTurn) => resolve(endTurn));
      this.#queue.add(turn, signal ? { signal } : {}).catch(reject);
    });
  }

  #refusal(action: 'full' | 'timed_out', tool: ToolSchema, waitedMs?: number): CodeExecutorError {
    const { maxConcurrent, maxQueued, queueTimeoutMs, onRefused } = this.#options;
    onRefused(action, tool, waitedMs);
    const about = { tool: tool.name, server: tool.server };
    if (action === 'full') {
      const message = `Tool ${tool.name} was not called, for ${maxConcurrent} calls run and ${maxQueued} wait for their turn; try again later.`;
      return new CodeExecutorError('unavailable', message, { ...about, retryAfterMs: retryAfterFullMs });
    }
    const message = `Tool ${tool.name} was not called, for its turn did not come within ${queueTimeoutMs / 1000} s; try again later.`;
    return new CodeExecutorError('unavailable', message, { ...about, retryAfterMs: retryAfterTimeoutMs });
  }
}
