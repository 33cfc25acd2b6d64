import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type Caller,
  CodeExecutorError,
  type ExecutionStatus,
  type Language,
  type OutputChunk,
  printable,
} from '@code-executor/contracts';

import { PersonPause } from './asking/person-pause.js';
import type { CallAnswers, Question } from './asking/question.js';
import { QuestionBoard } from './asking/question-board.js';
import { type ExecutionReport, reportFault } from './execution-report.js';
import { OutputLog, type OutputPage } from './output-log.js';

/** `queued`: its turn has not come. `waiting`: all that it does is to wait for a person, and its clock stands still. */
export type ExecutionState = 'queued' | 'running' | 'waiting' | 'finished';

/** What is known about an execution at the moment. */
export interface ExecutionSummary {
  id: string;
  language: Language;
  state: ExecutionState;
  /** Its position among all executions that wait, 1 for the first; absent once its turn has come. */
  queuePosition?: number;
  /** When it was requested, as ISO 8601. */
  askedAt: string;
  /** How it ended; absent until then. */
  status?: ExecutionStatus;
}

/** One program that waits, runs or has ended. */
export interface Execution {
  readonly id: string;
  readonly state: ExecutionState;
  readonly summary: ExecutionSummary;
  /** Never rejects: an execution that could not run has a report, too. */
  readonly result: Promise<ExecutionReport>;
  /**
   * Yields its output from an offset (default: the beginning) until its end. Offsets count the characters of both
   * streams together; the last million characters are kept.
   */
  output(fromOffset?: number): AsyncIterable<OutputChunk>;
  /**
   * The same, page by page. Resolves as soon as there is output after `fromOffset` (default 0), at the end of the
   * execution, and after `waitMs` (default 0, at most 60,000) at the latest.
   *
   * @throws CodeExecutorError `invalid_argument` for an offset that is not a whole number of 0 or more.
   */
  readOutput(options?: { fromOffset?: number; waitMs?: number }): Promise<OutputPage>;
  /** The questions to a person that are open, the oldest first; see {@link ExecuteOptions.canAsk}. */
  readonly questions: readonly Question[];
  /**
   * The oldest open question, as soon as there is one, and undefined at the end of the execution. Resolves with the same
   * question until all of its calls are answered. Rejects with the reason of the signal.
   */
  nextQuestion(signal?: AbortSignal): Promise<Question | undefined>;
  /**
   * Answers a question. Calls without an answer stay open, and what does not belong to an open call is ignored. A
   * question that has no answer after ten minutes is closed.
   */
  answer(questionId: string, answers: CallAnswers): void;
  /** Ends it with status `cancelled` and the `reason` in the report's error. Has no effect on an execution that has ended. */
  cancel(reason?: string): void;
}

const maxWaitMs = 60_000;
const maxReasonChars = 200;

export interface ExecutionIdentity {
  id: string;
  language: Language;
  caller: Caller;
  /** Whether somebody shows its questions to a person. Default: false. */
  canAsk?: boolean | undefined;
}

/** Where executions wait for their turn. */
export interface Line {
  /** The position of an execution; undefined for one that does not wait. */
  positionOf(execution: object): number | undefined;
}

/** An execution, with what only the executor may do to it. */
export class LiveExecution implements Execution {
  readonly id: string;
  readonly language: Language;
  readonly caller: Caller;
  readonly canAsk: boolean;
  readonly result: Promise<ExecutionReport>;
  /** Stops the clock of the run. */
  readonly pause = new PersonPause();
  /** Of the report as JSON; 0 until it is there. */
  reportBytes = 0;
  readonly #line: Line | undefined;
  readonly #askedAt = new Date().toISOString();
  readonly #log = new OutputLog();
  readonly #cancelling = new AbortController();
  readonly #board: QuestionBoard;
  #hasBegun = false;
  #status: ExecutionStatus | undefined;
  #reason: string | undefined;

  /** @param run - Runs the execution; never rejects. */
  constructor(
    identity: ExecutionIdentity,
    line: Line | undefined,
    run: (execution: LiveExecution) => Promise<ExecutionReport>,
  ) {
    this.id = identity.id;
    this.language = identity.language;
    this.caller = identity.caller;
    this.#line = line;
    this.canAsk = identity.canAsk ?? false;
    this.#board = new QuestionBoard(identity.id, this.canAsk);
    this.result = run(this)
      .catch((reason: unknown) => reportFault(this.id, CodeExecutorError.from(reason), undefined))
      .then((report) => this.#end(report));
  }

  get state(): ExecutionState {
    if (this.#status) return 'finished';
    if (this.pause.isPaused) return 'waiting';
    return this.#hasBegun ? 'running' : 'queued';
  }

  get summary(): ExecutionSummary {
    const queuePosition = this.#line?.positionOf(this);
    return {
      id: this.id,
      language: this.language,
      state: this.state,
      ...(queuePosition !== undefined && { queuePosition }),
      askedAt: this.#askedAt,
      ...(this.#status && { status: this.#status }),
    };
  }

  /** Aborts when it is cancelled. */
  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  get questions(): readonly Question[] {
    return this.#board.questions;
  }

  nextQuestion(signal?: AbortSignal): Promise<Question | undefined> {
    return this.#board.next(signal);
  }

  answer(questionId: string, answers: CallAnswers): void {
    this.#board.answer(questionId, answers);
  }

  /** Asks a person about a call, unless an earlier answer covers it. Meanwhile the call counts as one that waits. */
  async approve(request: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalOutcome> {
    return this.#board.decided(request) ?? (await this.pause.waitFor(this.#board.ask(request, signal)));
  }

  /** Its turn has come. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** The approximate size of the report and the output, in bytes. */
  get size(): number {
    return this.reportBytes + this.#log.size;
  }

  printed(chunk: OutputChunk): void {
    this.#log.push(chunk);
  }

  async *output(fromOffset = 0): AsyncGenerator<OutputChunk> {
    checkOffset(fromOffset);
    for (let offset = fromOffset; ;) {
      const page = await this.#log.waitFor(offset, maxWaitMs);
      yield* page.chunks;
      if (page.isComplete) return;
      offset = page.nextOffset;
    }
  }

  async readOutput({
    fromOffset = 0,
    waitMs = 0,
  }: { fromOffset?: number; waitMs?: number } = {}): Promise<OutputPage> {
    checkOffset(fromOffset);
    return this.#log.waitFor(fromOffset, Math.min(waitMs, maxWaitMs));
  }

  cancel(reason?: string): void {
    if (this.#cancelling.signal.aborted) return;
    this.#reason = reason && printable(reason.slice(0, maxReasonChars));
    this.#cancelling.abort(new CodeExecutorError('cancelled', 'The execution was cancelled.'));
  }

  #end(report: ExecutionReport): ExecutionReport {
    this.#status = report.status;
    this.#log.complete();
    this.#board.close();
    this.pause.end();
    if (report.status !== 'cancelled' || !this.#reason) return report;
    return { ...report, error: `${report.error ?? ''} The reason: ${this.#reason}`.trimStart() };
  }
}

function checkOffset(offset: number): void {
  if (Number.isSafeInteger(offset) && offset >= 0) return;
  throw new CodeExecutorError(
    'invalid_argument',
    'The offset of an output must be a whole number of 0 or more.',
  );
}
