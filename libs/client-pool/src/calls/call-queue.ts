import { type CallOptions, CodeExecutorError, type ToolSchema } from '@code-executor/contracts';

import { type Claim, newestOfMost, SharedPlaces } from './shared-places.js';

export interface CallQueueOptions {
  /** Calls that run at once. */
  maxConcurrent: number;
  /** Calls that may wait for their turn; beyond them, one is refused. */
  maxQueued: number;
  /** Milliseconds that a call waits at most. */
  queueTimeoutMs: number;
  /** The servers that share the places. */
  serverNames: () => readonly string[];
  /** A call was refused, perhaps after a wait of `waitedMs`. */
  onRefused: (action: Refusal, call: QueuedCall, waitedMs?: number) => void;
}

/** Why a call gets no turn: the queue is full, or it has waited too long. */
export type Refusal = 'full' | 'timed_out';

/** A call on its way through the queue. */
export interface QueuedCall {
  tool: ToolSchema;
  options: CallOptions;
}

interface WaitingCall extends QueuedCall, Claim {
  sinceMs: number;
  enter: () => void;
  leave: (reason: unknown) => void;
}

/** `retryAfterMs` of a call that the full queue refuses, and of one that has waited too long. */
const retryAfterFullMs = 60_000;
const retryAfterTimeoutMs = 30_000;

/**
 * A queue with a limit on its length and on the wait in it. Calls of one execution to one server come first in, first
 * out. Otherwise the next place goes to the server and the execution that have the fewest, and a full queue refuses
 * the newest call of those that wait with the most.
 */
export class CallQueue {
  readonly #options: CallQueueOptions;
  readonly #places: SharedPlaces;
  readonly #line: WaitingCall[] = [];

  constructor(options: CallQueueOptions) {
    this.#options = options;
    this.#places = new SharedPlaces(options.maxConcurrent, options.serverNames);
  }

  /** Calls that run, calls that wait, and how many may run. */
  get stats(): { active: number; waiting: number; max: number } {
    return { active: this.#places.active, waiting: this.#line.length, max: this.#places.max };
  }

  /**
   * Waits for a turn; resolves with a function that ends the turn.
   *
   * @throws CodeExecutorError `unavailable` when the queue is full or the wait too long; the signal's reason when
   * it fires during the wait.
   */
  async turn(tool: ToolSchema, options: CallOptions): Promise<() => void> {
    const { signal, executionId, caller } = options;
    signal?.throwIfAborted();
    // Only a caller that the operator knows by name has a share, because all others would have one together.
    const known = caller?.policy && `${caller.kind}:${caller.id}`;
    const claim: Claim = { server: tool.server, caller: executionId ?? known };
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    try {
      await new Promise<void>((enter, leave) => {
        const call = { ...claim, tool, options, enter, leave, sinceMs: performance.now() };
        stop = () => this.#remove(call, signal?.reason);
        this.#line.push(call);
        this.#admit();
        if (!this.#line.includes(call)) return;
        signal?.addEventListener('abort', stop, { once: true });
        timer = setTimeout(() => this.#refuse(call, 'timed_out'), this.#options.queueTimeoutMs);
        const excess = this.#line.length > this.#options.maxQueued ? newestOfMost(this.#line) : undefined;
        if (excess) this.#refuse(excess, 'full');
      });
    } finally {
      clearTimeout(timer);
      if (stop) signal?.removeEventListener('abort', stop);
    }
    return () => {
      this.#places.release(claim);
      this.#admit();
    };
  }

  /** Lets in the calls that may take a place. */
  #admit(): void {
    for (let next = this.#places.next(this.#line); next; next = this.#places.next(this.#line)) {
      this.#line.splice(this.#line.indexOf(next), 1);
      this.#places.take(next);
      next.enter();
    }
  }

  #remove(call: WaitingCall, reason: unknown): void {
    const index = this.#line.indexOf(call);
    // It already has its turn, or has left.
    if (index === -1) return;
    this.#line.splice(index, 1);
    call.leave(reason);
  }

  #refuse(call: WaitingCall, action: Refusal): void {
    const waitedMs = performance.now() - call.sinceMs;
    const isNew = action === 'full' && call === this.#line.at(-1);
    this.#options.onRefused(action, call, isNew ? undefined : waitedMs);
    this.#remove(call, this.#errorOf(call.tool, action));
  }

  #errorOf(tool: ToolSchema, action: Refusal): CodeExecutorError {
    const about = { tool: tool.name, server: tool.server };
    if (action === 'full') {
      const { maxQueued } = this.#options;
      const message = `Tool ${tool.name} was not called because the queue is full (${this.#places.active} calls running, ${maxQueued} waiting); try again later.`;
      return new CodeExecutorError('unavailable', message, { ...about, retryAfterMs: retryAfterFullMs });
    }
    const seconds = this.#options.queueTimeoutMs / 1000;
    const message = `Tool ${tool.name} was not called because its turn did not come within ${seconds} s; try again later.`;
    return new CodeExecutorError('unavailable', message, { ...about, retryAfterMs: retryAfterTimeoutMs });
  }
}
