import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { Caller } from '@code-executor/contracts';
import type { CallAnswers, Execution, Question } from '@code-executor/executor';

import type { LoginLink, Tool, ToolContext, ToolOutcome } from '../../tool.js';

/** How a call ended: with what the tool answered, or with a fault of ours. */
export type CallEnd = { outcome: ToolOutcome } | { fault: unknown };

/** What a call is made with, besides what it follows by itself. */
export interface CallOptions extends Pick<ToolContext, 'caller' | 'canAsk' | 'traceparent'> {
  /** Whether links to log in can be shown to a person on this machine. */
  canOpenLinks: boolean;
}

/** A call of a tool. It may outlive the request that made it: later requests of the same caller follow it then. */
export class CallUnderWay {
  /** Unguessable, because whoever knows it and is the same caller may answer and cancel. */
  readonly id = `task_${randomBytes(16).toString('hex')}`;
  readonly caller: Caller;
  readonly createdAt = new Date();
  readonly ended: Promise<CallEnd>;
  /** How much of what it printed was sent in log messages, whichever request carried them. */
  readonly sentOutput = { offset: 0 };
  readonly #tool: string;
  readonly #args: unknown;
  readonly #begun: Promise<Execution | undefined>;
  readonly #stopping = new AbortController();
  readonly #progressListeners = new Set<(message: string) => void>();
  #execution: Execution | undefined;
  #end: CallEnd | undefined;
  #changedAt = this.createdAt;
  readonly #links: LoginLink[] = [];
  #showLink: ((link: LoginLink) => void) | undefined;

  constructor(tool: Tool, args: unknown, { canOpenLinks, ...context }: CallOptions) {
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
      ...(canOpenLinks && { onLoginLink: (link) => this.#addLink(link) }),
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

  /** Whether there are links to log in that nobody has taken. */
  get hasLinks(): boolean {
    return this.#links.length > 0;
  }

  /** The links to log in that nobody has taken; each is there once. */
  takeLinks(): LoginLink[] {
    return this.#links.splice(0);
  }

  /** Calls the function with each link to log in, as soon as there is one. */
  onLink(show: (link: LoginLink) => void): void {
    this.#showLink = show;
    for (const link of this.takeLinks()) show(link);
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

  #addLink(link: LoginLink): void {
    if (this.#showLink) this.#showLink(link);
    else this.#links.push(link);
  }
}
