import {
  type ApprovalOutcome,
  type ApprovalRequest,
  CodeExecutorError,
  untilAborted,
} from '@code-executor/contracts';

import { GivenAnswers } from './given-answers.js';
import type { CallAnswers, Question, WaitingCall } from './question.js';

/** Calls that begin to wait so close together become one question. */
const gatherMs = 2;
const answerLimitMs = 600_000;
/** A person cannot judge more calls than this at once. */
const maxCallsPerQuestion = 32;
/** How many calls of one execution can be put before a person: a program that asks on and on wears the person down. */
const maxAskedCalls = 256;

/** A call on the board. */
interface Waiting {
  readonly call: WaitingCall;
  readonly settle: (outcome: ApprovalOutcome) => void;
}

interface OpenQuestion {
  readonly waiting: Set<Waiting>;
  readonly timer: NodeJS.Timeout;
}

/** The questions of one execution: its calls put them, and whoever follows it shows and answers them. */
export class QuestionBoard {
  readonly #executionId: string;
  readonly #canAsk: boolean;
  readonly #given = new GivenAnswers();
  readonly #gathering = new Set<Waiting>();
  readonly #open = new Map<string, OpenQuestion>();
  readonly #followers = new Set<() => void>();
  #gatherTimer: NodeJS.Timeout | undefined;
  #calls = 0;
  #questions = 0;
  #isClosed = false;

  constructor(executionId: string, canAsk: boolean) {
    this.#executionId = executionId;
    this.#canAsk = canAsk;
  }

  /** The open questions, the oldest first. */
  get questions(): Question[] {
    return [...this.#open].map(([id, { waiting }]) => ({
      id,
      executionId: this.#executionId,
      calls: [...waiting].map(({ call }) => call),
    }));
  }

  /** The oldest open question, as soon as there is one; undefined at the end of the execution. */
  async next(signal?: AbortSignal): Promise<Question | undefined> {
    signal?.throwIfAborted();
    while (this.#open.size === 0 && !this.#isClosed) await this.#change(signal);
    return this.questions[0];
  }

  /** What is decided already, without anybody being asked; undefined if a person has to be. */
  decided(request: ApprovalRequest): ApprovalOutcome | undefined {
    return this.#canAsk ? this.#given.cover(request) : 'unsupported';
  }

  /** Puts a call on the board until it is answered. */
  async ask(request: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalOutcome> {
    signal?.throwIfAborted();
    if (this.#isClosed) return 'cancelled';
    if (this.#calls >= maxAskedCalls) throw askedTooOften(request);
    const call: WaitingCall = { key: `c${++this.#calls}`, ...request };
    let waiting: Waiting | undefined;
    const outcome = new Promise<ApprovalOutcome>((settle) => (waiting = { call, settle }));
    if (waiting) this.#gather(waiting);
    try {
      return await untilAborted(outcome, signal);
    } finally {
      // Settled calls are gone; this one may have been given up.
      if (waiting) this.#remove(waiting);
    }
  }

  /** Answers a question, or some of its calls. What does not belong to an open call is ignored. */
  answer(questionId: string, answers: CallAnswers): void {
    const question = this.#open.get(questionId);
    if (!question) return;
    for (const waiting of [...question.waiting]) {
      const { call } = waiting;
      if (!Object.hasOwn(answers, call.key)) continue;
      const answer = answers[call.key];
      const outcome = answer && this.#given.add(call, answer);
      if (outcome) this.#settle(waiting, outcome);
    }
    for (const waiting of this.#all()) {
      const outcome = this.#given.cover(waiting.call);
      if (outcome) this.#settle(waiting, outcome);
    }
  }

  /** The execution is over; its calls end with its signal. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#gatherTimer);
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#gathering.clear();
    this.#open.clear();
    this.#tell();
  }

  #gather(waiting: Waiting): void {
    this.#gathering.add(waiting);
    clearTimeout(this.#gatherTimer);
    if (this.#gathering.size >= maxCallsPerQuestion) this.#put();
    else this.#gatherTimer = setTimeout(() => this.#put(), gatherMs);
  }

  /** Makes a question of the calls that have gathered. */
  #put(): void {
    if (this.#gathering.size === 0) return;
    const id = `q${++this.#questions}`;
    const waiting = new Set(this.#gathering);
    this.#gathering.clear();
    const timer = setTimeout(() => {
      for (const late of [...waiting]) this.#settle(late, 'timed_out');
    }, answerLimitMs);
    this.#open.set(id, { waiting, timer });
    this.#tell();
  }

  #all(): Waiting[] {
    return [...this.#open.values()].flatMap(({ waiting }) => [...waiting]).concat([...this.#gathering]);
  }

  #settle(waiting: Waiting, outcome: ApprovalOutcome): void {
    this.#remove(waiting);
    waiting.settle(outcome);
  }

  #remove(removed: Waiting): void {
    this.#gathering.delete(removed);
    for (const [id, { waiting, timer }] of this.#open) {
      if (!waiting.delete(removed) || waiting.size > 0) continue;
      clearTimeout(timer);
      this.#open.delete(id);
    }
  }

  /** Resolves when questions have been put, or the execution is over. */
  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = () => {
        this.#followers.delete(follow);
        signal?.removeEventListener('abort', stop);
      };
      const follow = () => {
        finish();
        resolve();
      };
      const stop = () => {
        finish();
        reject(signal?.reason as Error);
      };
      this.#followers.add(follow);
      signal?.addEventListener('abort', stop);
    });
  }

  #tell(): void {
    for (const follow of [...this.#followers]) follow();
  }
}

function askedTooOften({ toolName, server }: ApprovalRequest): CodeExecutorError {
  const problem =
    `The program has put ${maxAskedCalls} calls before a person, and no more are possible. ` +
    'Have the person allow the tool for the whole run, or split the work over several executions.';
  return new CodeExecutorError('resource_exhausted', problem, {
    tool: toolName,
    ...(server !== undefined && { server }),
  });
}
