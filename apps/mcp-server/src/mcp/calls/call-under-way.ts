import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { Caller } from '@code-executor/contracts';
import type { CallAnswers, Execution, Question } from '@code-executor/executor';

import type { Tool, ToolContext, ToolOutcome } from '../../tool.js';

/** How a call ended: with what the tool answered, or with a fault of ours. */
export type CallEnd = { outcome: ToolOutcome } | { fault: unknown };

/** A call of a tool. It may outlive the request that made it: later requests of the same caller follow it then. */
export class CallUnderWay {
  /** Unguessable, because whoever knows it and is the same caller may answer and cancel. */
  readonly id = `task_${randomBytes(16).toString('hex')}`;
  readonly caller: Caller;
  readonly createdAt = new Date();
  readonly ended: Promise<CallEnd>;
  readonly #tool: string;
  readonly #args: unknown;
  readonly #begun: Promise<Execution | undefined>;
  readonly #stopping = new AbortController();
  readonly #progressListeners = new Set<(message: string) => void>();
  #execution: Execution | undefined;
  #end: CallEnd | undefined;
  #changedAt = this.createdAt;

  constructor(
    tool: Tool,
    args: unknown,
    context: Omit<ToolContext, 'signal' | 'onProgress' | 'onExecution'>,
  ) {
    this.caller = context.caller;
    this.#tool = tool.name;
    this.#args = args;
    let begin: (execution: Execution | undefined) => void = () => undefined;
    this.#begun = new Promise((resolve) => (begin = resolve));
    const outcome = tool.call(args, {
      ...context,
      signal: this.#stopping.signal,
      onProgress: (message) => {
        for (const listen of this.#progressListeners) listen(message);
      },
      onExecution: (execution) => {
        this.#execution = execution;
        begin(execution);
      },
    });
    this.ended = outcome
      .then(
        (answered): CallEnd => ({ outcome: answered }),
        (fault: unknown): CallEnd => ({ fault }),
      )
      .then((end) => {
        begin(undefined);
        this.#changedAt = new Date();
        return (this.#end = end);
      });
  }

  /** Undefined as long as it goes on. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  get isCancelled(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** When its state changed last. */
  get changedAt(): Date {
    return this.#changedAt;
  }

  /** The open questions to a person. */
  get questions(): readonly Question[] {
    return this.#execution?.questions ?? [];
  }

  /** What it runs; undefined if it ends without running anything. */
  get execution(): Promise<Execution | undefined> {
    return this.#begun;
  }

  /** The oldest open question, as soon as there is one; undefined at the end. Rejects with the reason of the signal. */
  async nextQuestion(signal: AbortSignal): Promise<Question | undefined> {
    const execution = await this.#begun;
    const question = await execution?.nextQuestion(signal);
    if (!question) await this.ended;
    return question;
  }

  answer(questionId: string, answers: CallAnswers): void {
    this.#changedAt = new Date();
    this.#execution?.answer(questionId, answers);
  }

  /** Whether it is a call of this tool with these arguments. */
  isCallOf(tool: string, args: unknown): boolean {
    return this.#tool === tool && isDeepStrictEqual(this.#args, args);
  }

  /** Calls the listener with each progress message, until the returned function is called. */
  onProgress(listener: (message: string) => void): () => void {
    this.#progressListeners.add(listener);
    return () => void this.#progressListeners.delete(listener);
  }

  /** Has no effect on a call that has ended. */
  stop(): void {
    if (!this.#end) this.#stopping.abort();
  }
}
