import type { CallOptions, JsonObject, ToolName } from '@code-executor/contracts';

import type { FoundTool, ToolFinder } from '../catalog/tool-finder.js';
import type { CallQueue } from './call-queue.js';

/** What all calls of one pool share. */
export interface PoolParts {
  finder: ToolFinder;
  queue: CallQueue;
  /** Throws `failed_precondition` once the pool is closed. */
  assertOpen: () => void;
}

/** One attempt at a call. */
export interface Attempt {
  timeoutMs: number;
  /** It tries to connect even if that has failed a moment ago. */
  isUrgent: boolean;
  /** What the server gets as the parent of what it does. */
  traceparent: string | undefined;
}

/** One call on its way through the steps, and what they have found out about it. */
export class PoolCall {
  #found: FoundTool | undefined;
  #attempt: Attempt | undefined;

  constructor(
    readonly parts: PoolParts,
    readonly name: ToolName,
    readonly args: JsonObject,
    readonly options: CallOptions,
  ) {}

  /** The tool of that name; the step `lookup` finds it. */
  get found(): FoundTool {
    if (!this.#found) throw new Error('The step `lookup` comes before those that need the tool.');
    return this.#found;
  }

  set found(found: FoundTool) {
    this.#found = found;
  }

  /** The attempt that is under way; the step `retry` begins it. */
  get attempt(): Attempt {
    if (!this.#attempt) throw new Error('The step `retry` comes before those that belong to one attempt.');
    return this.#attempt;
  }

  set attempt(attempt: Attempt) {
    this.#attempt = attempt;
  }
}
