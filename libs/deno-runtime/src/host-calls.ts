import { CodeExecutorError, type JsonObject, type JsonValue } from '@code-executor/contracts';

import type { SandboxFrame } from './protocol/sandbox-frame.js';

/** One thing that sandboxed code may ask the server for; it judges its parameters itself. */
export type HostCallHandler = (params: JsonObject, signal: AbortSignal) => Promise<unknown>;
export type HostCallHandlers = ReadonlyMap<string, HostCallHandler>;

/** One reply, to the sandbox. */
const maxReplyBytes = 16 * 1024 * 1024;
/** Calls that wait for their reply; a program that has more is ended. */
export const maxOutstandingCalls = 4096;

type Call = Extract<SandboxFrame, { type: 'call' }>;

/** Answers the calls of one program. */
export class HostCalls {
  readonly #handlers: HostCallHandlers;
  readonly #reply: (json: string) => void;
  readonly #signal: AbortSignal;
  #lastId = 0;
  #outstanding = 0;

  constructor(handlers: HostCallHandlers, reply: (json: string) => void, signal: AbortSignal) {
    this.#handlers = handlers;
    this.#reply = reply;
    this.#signal = signal;
  }

  /** Takes a call; false when the program broke the rules: an id that does not count up, too many at once. */
  accept(call: Call): boolean {
    if (call.id <= this.#lastId || this.#outstanding >= maxOutstandingCalls) return false;
    this.#lastId = call.id;
    this.#outstanding++;
    void this.#answer(call).then((json) => {
      this.#outstanding--;
      this.#reply(json);
    });
    return true;
  }

  async #answer({ id, method, params }: Call): Promise<string> {
    try {
      const handler = this.#handlers.get(method);
      if (!handler) throw new CodeExecutorError('not_found', 'The sandbox asked for something unknown.');
      const value = await handler(params, this.#signal);
      return encodeReply(id, value);
    } catch (reason) {
      return JSON.stringify({ id, error: errorFields(reason) });
    }
  }
}

function encodeReply(id: number, value: unknown): string {
  let json: string;
  try {
    json = JSON.stringify({ id, value: value ?? null });
  } catch (cause) {
    throw new CodeExecutorError('resource_exhausted', 'The answer is nested too deep for the sandbox.', {
      cause,
    });
  }
  if (Buffer.byteLength(json) > maxReplyBytes) {
    throw new CodeExecutorError(
      'resource_exhausted',
      `The answer is larger than ${maxReplyBytes / 1024 / 1024} MB; ask for less of it at a time.`,
    );
  }
  return json;
}

/** An upstream tool that answered `isError`: not the host's failure, but an exception in the program. */
export class ToolFailure extends Error {
  constructor(
    message: string,
    readonly tool: string,
    readonly server: string | undefined,
  ) {
    super(message);
  }
}

function errorFields(reason: unknown): Record<string, JsonValue> {
  if (reason instanceof ToolFailure) {
    const { message, tool, server } = reason;
    return { code: 'tool_error', message, tool, ...(server !== undefined && { server }) };
  }
  const { code, message, tool, server, retryAfterMs } = CodeExecutorError.from(reason);
  return {
    code,
    message,
    ...(tool !== undefined && { tool }),
    ...(server !== undefined && { server }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
