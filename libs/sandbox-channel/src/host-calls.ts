import { CodeExecutorError } from '@code-executor/contracts';
import pLimit, { type LimitFunction } from 'p-limit';

import type { SandboxFrame } from './frames/sandbox-frame.js';
import type { HostCallContext, HostCallTable } from './host-call.js';
import { errorReply, valueReply } from './replies/reply.js';
import { UnreadReplies } from './replies/unread-replies.js';
import { unknownCall } from './unknown-call.js';

/** Calls that wait for their reply; a program that has more is ended. */
export const maxOutstandingCalls = 4096;
/**
 * What these may take in memory together, about: one of the largest, and many small ones. The bootstrap keeps
 * what is more until replies have come, so that only a program that writes to the pipe itself exceeds it.
 */
const maxOutstandingCost = 8 * 1024 * 1024;
/** Calls of one method that are answered at once, where that has no other limit. */
const defaultMaxAtOnce = 4;

/** What there is not costs nothing, and names of it are not kept. */
const unlimited = { maxAtOnce: Infinity };

type Call = Extract<SandboxFrame, { type: 'call' }>;

/** Answers the calls of one program. */
export class HostCalls {
  readonly #table: HostCallTable;
  readonly #context: HostCallContext;
  readonly #reply: (line: Buffer) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #unread = new UnreadReplies();
  readonly #turns = new Map<string, LimitFunction>();
  #lastId = 0;
  #outstanding = 0;
  #outstandingCost = 0;

  /** @param reply - Sends a reply, a line; resolves when the program has taken it. */
  constructor(
    table: HostCallTable,
    context: HostCallContext,
    reply: (line: Buffer) => Promise<void>,
    signal: AbortSignal,
  ) {
    this.#table = table;
    this.#context = context;
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
    const { maxAtOnce = defaultMaxAtOnce } = this.#table.get(method) ?? unlimited;
    if (maxAtOnce === Infinity) return serve();
    let turns = this.#turns.get(method);
    if (!turns) this.#turns.set(method, (turns = pLimit(maxAtOnce)));
    await turns(serve);
  }

  /** Keeps nothing of a reply itself: the promise lasts until the program reads, and so would what it refers to. */
  #send(id: number, reply: Buffer): Promise<void> {
    const bytes = reply.length;
    if (!this.#unread.add(bytes)) return this.#reply(errorReply(id, noRoom()));
    return this.#reply(reply).then(() => this.#unread.remove(bytes));
  }

  async #answer({ id, method, params }: Call): Promise<Buffer> {
    try {
      this.#signal.throwIfAborted();
      const hostCall = this.#table.get(method);
      if (!hostCall) throw unknownCall();
      return valueReply(id, await hostCall.answer(params, this.#context, this.#signal));
    } catch (reason) {
      return errorReply(id, reason);
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
