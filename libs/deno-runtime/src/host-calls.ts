import { CodeExecutorError, type JsonObject, type JsonValue } from '@code-executor/contracts';
import pLimit, { type LimitFunction } from 'p-limit';

import { JsonList } from './json-list.js';
import type { SandboxFrame } from './protocol/sandbox-frame.js';
import { UnreadReplies } from './unread-replies.js';

/** One thing that sandboxed code may ask the server for; it judges its parameters itself. A list may be a `JsonList`, a text a `ResultText`. */
export type HostCallHandler = (params: JsonObject, signal: AbortSignal) => Promise<unknown>;
export type HostCallHandlers = ReadonlyMap<string, HostCallHandler>;

/** One reply, to the sandbox. */
const maxReplyBytes = 16 * 1024 * 1024;
/** Calls that wait for their reply; a program that has more is ended. */
export const maxOutstandingCalls = 4096;
/**
 * What these may take in memory together, about: one of the largest, and many small ones. The bootstrap keeps
 * what is more until replies have come, so that only a program that writes to the pipe itself exceeds it.
 */
const maxOutstandingCost = 8 * 1024 * 1024;
/** Calls of one method that are answered at once; further ones wait until replies were read. */
const maxAtOnce = 4;
/** Tool calls have limits of their own, in the `ToolSource`: on calls at once and on bytes of results. */
const limitedElsewhere = 'callTool';

type Call = Extract<SandboxFrame, { type: 'call' }>;

/** Answers the calls of one program. */
export class HostCalls {
  readonly #handlers: HostCallHandlers;
  readonly #reply: (line: Buffer) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #unread = new UnreadReplies();
  readonly #turns = new Map<string, LimitFunction>();
  #lastId = 0;
  #outstanding = 0;
  #outstandingCost = 0;

  /** @param reply - Sends a reply, a line; resolves when the program has taken it. */
  constructor(handlers: HostCallHandlers, reply: (line: Buffer) => Promise<void>, signal: AbortSignal) {
    this.#handlers = handlers;
    this.#reply = reply;
    this.#signal = signal;
  }

  /** Takes a call; false when the program broke the rules: an id that does not count up, too many or too much at once. */
  accept(call: Call, cost: number): boolean {
    if (call.id <= this.#lastId || this.#outstanding >= maxOutstandingCalls) return false;
    if (this.#outstandingCost + cost > maxOutstandingCost) return false;
    this.#lastId = call.id;
    this.#outstanding++;
    this.#outstandingCost += cost;
    void this.#serve(call).then(() => {
      this.#outstanding--;
      this.#outstandingCost -= cost;
    });
    return true;
  }

  /** A call is over when its reply was read: a program that only asks must not fill the server's memory. */
  async #serve(call: Call): Promise<void> {
    const serve = () => this.#answer(call).then((reply) => this.#send(call.id, reply));
    const { method } = call;
    if (method === limitedElsewhere || !this.#handlers.has(method)) return serve();
    let turns = this.#turns.get(method);
    if (!turns) this.#turns.set(method, (turns = pLimit(maxAtOnce)));
    await turns(serve);
  }

  /** Keeps nothing of a reply itself: the promise lasts until the program reads, and so would what it refers to. */
  #send(id: number, reply: Buffer): Promise<void> {
    const bytes = reply.length;
    if (!this.#unread.add(bytes)) return this.#reply(toLine({ id, error: errorFields(noRoom()) }));
    return this.#reply(reply).then(() => this.#unread.remove(bytes));
  }

  async #answer({ id, method, params }: Call): Promise<Buffer> {
    try {
      this.#signal.throwIfAborted();
      const handler = this.#handlers.get(method);
      if (!handler) throw new CodeExecutorError('not_found', 'The sandbox asked for something unknown.');
      const value = await handler(params, this.#signal);
      return encodeReply(id, value);
    } catch (reason) {
      return toLine({ id, error: errorFields(reason) });
    }
  }
}

function noRoom(): CodeExecutorError {
  return new CodeExecutorError(
    'unavailable',
    'The answer was dropped, because programs have left too many of theirs unread; wait for fewer of them at once.',
    { retryAfterMs: 1000 },
  );
}

function encodeReply(id: number, value: unknown): Buffer {
  let reply: Buffer;
  try {
    reply =
      value instanceof JsonList
        ? Buffer.from(`{"id":${id},"value":${value.toText()}}\n`)
        : toLine(value instanceof ResultText ? { id, text: value.text } : { id, value: value ?? null });
  } catch (cause) {
    throw new CodeExecutorError('resource_exhausted', 'The answer is nested too deep for the sandbox.', {
      cause,
    });
  }
  if (reply.length > maxReplyBytes) {
    throw new CodeExecutorError(
      'resource_exhausted',
      `The answer is larger than ${maxReplyBytes / 1024 / 1024} MB; ask for less of it at a time.`,
    );
  }
  return reply;
}

/** Bytes, not a text: so much is known of what they take, and they are no work for V8 while they wait. */
function toLine(reply: object): Buffer {
  return Buffer.from(`${JSON.stringify(reply)}\n`);
}

/** A tool's result that is text, which may be JSON: the sandbox parses it, for that is work on behalf of the program. */
export class ResultText {
  constructor(readonly text: string) {}
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
