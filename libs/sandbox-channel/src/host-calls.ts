import { CodeExecutorError } from '@code-executor/contracts';
import pLimit, { type LimitFunction } from 'p-limit';

import type { SandboxFrame } from './frames/sandbox-frame.js';
import type { HostCallContext, HostCallTable } from './host-call.js';
import { errorReply, valueReply } from './replies/reply.js';
import { UnreadReplies } from './replies/unread-replies.js';
import { unknownCall } from './unknown-call.js';

/** How many calls may wait for their reply; a program with more is ended. */
export const maxOutstandingCalls = 4096;
/**
 * How much memory they may take together, about: one of the largest, and many small ones. The bootstrap holds back
 * further calls until replies have come, so only a program that writes to the pipe itself exceeds this.
 */
const maxOutstandingCost = 8 * 1024 * 1024;
/** How many calls of one method are answered at once, if the method sets no other limit. */
const defaultMaxAtOnce = 4;

/** For unknown methods: refusing them costs nothing, and their names must not be kept. */
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

  /** @param reply - Sends a reply, which is one line; resolves when the program has read it. */
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

  /** Takes a call; false if the program broke the rules: the id does not count up, or the calls are too many or too large. */
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

  /** A call ends when its reply was read, so that a program that reads nothing cannot fill the server's memory. */
  async #serve(call: Call): Promise<void> {
    const serve = () => this.#answer(call).then((reply) => this.#send(call.id, reply));
    const { method } = call;
    const { maxAtOnce = defaultMaxAtOnce } = this.#table.get(method) ?? unlimited;
    if (maxAtOnce === Infinity) return serve();
    let turns = this.#turns.get(method);
    if (!turns) this.#turns.set(method, (turns = pLimit(maxAtOnce)));
    await turns(serve);
  }

  /** The promise lives until the program reads, so its callback must not refer to the reply. */
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
    'The answer was dropped, because programs have left too many answers unread; make fewer calls at once.',
    { retryAfterMs: 1000 },
  );
}
