import {
  type CallOptions,
  CodeExecutorError,
  type Logger,
  type ToolResult,
  type ToolSchema,
} from '@code-executor/contracts';

import { withCallSpan } from './call-span.js';
import { Circuit, type CircuitAction, type Verdict } from './circuit.js';
import { answeredError, isLoss } from '../connection/connection-errors.js';
import { withRetries } from './retries.js';

export interface GuardedCallsOptions {
  /** The server. */
  name: string;
  transport: 'pipe' | 'tcp';
  callTimeoutMs: number;
  failureThreshold: number;
  resetTimeoutMs: number;
  /** The next attempt would have to wait for the server to be started: none is made. */
  isPaused: () => boolean;
  onCircuitChange: (action: CircuitAction, by?: CallOptions) => void;
  logger: Logger;
}

/** One attempt at a call. */
export interface Attempt {
  timeoutMs: number;
  /** For the server. */
  traceparent: string | undefined;
  /** It shall try to connect even if that has failed a moment ago. */
  isUrgent: boolean;
}

/** The way of all calls to one server: its circuit, a span for each attempt, and further attempts where they are safe. */
export class GuardedCalls {
  readonly circuit: Circuit;
  readonly #options: GuardedCallsOptions;
  #lastLoss: unknown;
  #lastAnswerMs = 0;

  constructor(options: GuardedCallsOptions) {
    this.#options = options;
    this.circuit = new Circuit({
      ...options,
      judge: (error, startedMs) => {
        const verdict = this.#judge(error, startedMs);
        if (verdict === 'success') this.#lastAnswerMs = performance.now();
        return verdict;
      },
      onChange: options.onCircuitChange,
    });
  }

  /** @throws CodeExecutorError `unavailable` while the circuit is open; else what the last attempt has thrown. */
  run(
    tool: ToolSchema,
    ownName: string,
    options: CallOptions,
    attempt: (attempt: Attempt) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const { name: server, transport, callTimeoutMs } = this.#options;
    const { signal, traceparent } = options;
    const span = { server, tool: ownName, transport, traceparent };
    const attemptOnce = (timeoutMs: number, isRetry: boolean) =>
      this.circuit.run(tool.name, options, (isTrial) =>
        withCallSpan(span, async (own) => {
          const result = await attempt({ timeoutMs, traceparent: own, isUrgent: isRetry || isTrial });
          this.#lastAnswerMs = performance.now();
          return result;
        }),
      );
    const mayRetry = (error: unknown) =>
      isRepeatable(tool) &&
      !this.#options.isPaused() &&
      CodeExecutorError.from(error).code === 'unavailable' &&
      this.circuit.refusal(tool.name) === undefined;
    return withRetries(attemptOnce, { mayRetry, timeoutMs: callTimeoutMs, signal });
  }

  #judge(error: unknown, startedMs: number): Verdict {
    const { code, cause } = CodeExecutorError.from(error);
    // One program could close the server to all others by calls that it answers with errors.
    if (cause === answeredError) return 'success';
    switch (code) {
      case 'cancelled':
        return 'nothing';
      case 'invalid_argument':
      case 'not_found':
      case 'unauthenticated':
        // It is alive: it has said no.
        return 'success';
      case 'deadline_exceeded':
        // It has answered others meanwhile: what is slow is the call, and one program could make many of them.
        if (this.#lastAnswerMs > startedMs) return 'nothing';
        break;
      case 'resource_exhausted':
        // An answer that is too large is one.
        if (!isLoss(cause)) return 'success';
        break;
      default:
    }
    // However many calls were lost with it, a connection fails once.
    if (isLoss(cause) && cause === this.#lastLoss) return 'nothing';
    this.#lastLoss = cause;
    return 'failure';
  }
}

/** The server says that a second call does no harm; if that is not true, the harm is its own. */
function isRepeatable({ annotations }: ToolSchema): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
