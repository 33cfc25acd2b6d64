import { type CodeExecutorError, type ToolResult, toolFailureText } from '@code-executor/contracts';

import { maxNameChars } from '../policy/name-patterns.js';
import { quoteValue } from '../quote.js';
import type { ToolCall } from './tool-call.js';

const maxMessageChars = 500;

/** Called when a call begins, and when it ends one way or the other. */
export interface CallEvents {
  begun: (call: ToolCall) => void;
  ended: (call: ToolCall) => void;
  rejected: (call: ToolCall) => void;
}

/** The record of a call that is not over; the first `succeed` or `fail` ends it. */
export class OpenCall {
  readonly #record: ToolCall;
  readonly #events: CallEvents;
  #startedMs: number | undefined;

  constructor(name: unknown, events: CallEvents) {
    this.#record = {
      toolName: typeof name === 'string' ? name.slice(0, maxNameChars) : quoteValue(name),
      status: 'running',
      durationMs: 0,
      startedAt: new Date().toISOString(),
    };
    this.#events = events;
  }

  set server(server: string) {
    this.#record.server = server;
  }

  /** The upstream server is called now. */
  begin(): void {
    this.#startedMs = performance.now();
    this.#record.startedAt = new Date().toISOString();
    this.#events.begun(this.#record);
  }

  /** The wait for a free place is over. */
  leftQueue(): void {
    if (this.#startedMs !== undefined) this.#record.queuedMs = performance.now() - this.#startedMs;
  }

  /** The tool has answered, with so many bytes. */
  succeed(result: ToolResult, bytes: number): void {
    if (this.#record.status === 'running') this.#record.resultBytes = bytes;
    const failure = toolFailureText(result);
    if (failure === undefined) this.#end('success');
    else this.#end('failure', 'tool_error', failure);
  }

  /** The call was refused, or failed. */
  fail({ code, message }: CodeExecutorError): void {
    this.#end(this.#startedMs === undefined ? 'rejected' : 'failure', code, message);
  }

  #end(
    status: 'success' | 'failure' | 'rejected',
    errorCode?: ToolCall['errorCode'],
    message?: string,
  ): void {
    const record = this.#record;
    if (record.status !== 'running') return;
    record.status = status;
    if (this.#startedMs !== undefined) record.durationMs = performance.now() - this.#startedMs;
    if (errorCode !== undefined) record.errorCode = errorCode;
    if (message !== undefined) record.errorMessage = message.slice(0, maxMessageChars);
    if (status === 'rejected') this.#events.rejected(record);
    else this.#events.ended(record);
  }
}
