import { type CallOptions, CodeExecutorError, type Logger } from '@code-executor/contracts';
import CircuitBreaker from 'opossum';

import { ConnectFailure } from '../connection/connect-failure.js';
import type { ServerStats } from '../options.js';
import { ServerJudge } from './verdict.js';

/** What a circuit has become. */
export type CircuitAction = 'opened' | 'half_open' | 'closed';

export interface CircuitOptions {
  /** The server. */
  name: string;
  /** This many failures in a row open the circuit. */
  failureThreshold: number;
  /** Milliseconds from the opening to the trial. */
  resetTimeoutMs: number;
  /** Called with the call that changed the circuit; `half_open` has none, because time alone leads to it. */
  onChange: (action: CircuitAction, by?: CallOptions) => void;
  logger: Logger;
}

type Work = (isTrial: boolean) => Promise<unknown>;

type WorkArguments = [work: Work, by: CallOptions, isTrial: boolean, giveUp: (error: unknown) => void];

/** `retryAfterMs` while the trial is under way, which may end at any moment. */
const trialRetryAfterMs = 1_000;

/**
 * Keeps calls away from a server that fails all the time: open after so many failures in a row, half-open after
 * a while, when one call tries whether it works again and all others are still refused.
 */
export class Circuit {
  readonly #options: CircuitOptions;
  readonly #judge = new ServerJudge();
  #breaker: CircuitBreaker<WorkArguments>;
  #failuresInRow = 0;
  #failuresTotal = 0;
  #openedAt = 0;
  #lastAnswerAt = 0;
  #failure: ConnectFailure | undefined;
  /** The last call that failed or worked. */
  #lastCall: CallOptions = {};

  constructor(options: CircuitOptions) {
    this.#options = options;
    this.#breaker = this.#createBreaker();
  }

  get stats(): Pick<ServerStats, 'circuit' | 'failuresInRow' | 'circuitFailures'> {
    const { opened, halfOpen } = this.#breaker;
    return {
      circuit: opened ? 'open' : halfOpen ? 'half_open' : 'closed',
      failuresInRow: this.#failuresInRow,
      circuitFailures: this.#failuresTotal,
    };
  }

  /** Why calls are refused; undefined unless the circuit is open. The same object from one opening to the next. */
  get failure(): ConnectFailure | undefined {
    return this.#breaker.opened ? this.#failure : undefined;
  }

  /** How long calls are still refused before the trial; 0 if the circuit is not open. */
  get openLeftMs(): number {
    if (!this.#breaker.opened) return 0;
    return Math.max(1, Math.ceil(this.#openedAt + this.#options.resetTimeoutMs - performance.now()));
  }

  /** Why a call would be refused now: `unavailable` while the circuit is open, and while the trial is under way. */
  refusal(tool: string): CodeExecutorError | undefined {
    const { opened, halfOpen, pendingClose } = this.#breaker;
    if (!opened && (!halfOpen || pendingClose)) return undefined;
    return this.#failure?.toCallError(tool, opened ? this.openLeftMs : trialRetryAfterMs);
  }

  /** Does the work and learns from its outcome; rejects with the {@link refusal} if there is one. */
  async run<T>(tool: string, by: CallOptions, work: (isTrial: boolean) => Promise<T>): Promise<T> {
    const refusal = this.refusal(tool);
    if (refusal) throw refusal;
    // It is closed for good: the connection refuses the work itself.
    if (this.#breaker.isShutdown) return work(false);
    return new Promise((resolve, reject) => {
      const done = this.#breaker.fire(work, by, this.#breaker.halfOpen, reject) as Promise<T>;
      done.then(resolve, reject);
    });
  }

  /** Counts a failure that did not happen inside of {@link run}. */
  fail(error: unknown, by: CallOptions): void {
    this.#lastCall = by;
    this.#failuresInRow += 1;
    this.#failuresTotal += 1;
    const { closed, halfOpen } = this.#breaker;
    if (!halfOpen && !(closed && this.#failuresInRow >= this.#options.failureThreshold)) return;
    this.#failure = this.#toFailure(error);
    this.#breaker.open();
  }

  /** Stops its timers. */
  close(): void {
    this.#breaker.shutdown();
  }

  readonly #work = async (
    work: Work,
    by: CallOptions,
    isTrial: boolean,
    giveUp: (error: unknown) => void,
  ): Promise<unknown> => {
    const startedAt = performance.now();
    try {
      const result = await work(isTrial);
      this.#succeed(by);
      return result;
    } catch (error) {
      const verdict = this.#judge.verdictOn(error, this.#lastAnswerAt > startedAt);
      if (verdict === 'nothing') {
        giveUp(error);
        if (isTrial && this.#breaker.halfOpen) this.#repeatTrial();
        // The breaker knows good and bad outcomes only, so this one is kept from it.
        return new Promise(() => {});
      }
      if (verdict === 'success') this.#succeed(by);
      else this.fail(error, by);
      throw error;
    }
  };

  #succeed(by: CallOptions): void {
    this.#lastCall = by;
    this.#failuresInRow = 0;
    this.#lastAnswerAt = performance.now();
  }

  /** The trial ended without an answer: the next call is another one. */
  #repeatTrial(): void {
    this.#breaker.shutdown();
    this.#breaker = this.#createBreaker(true);
  }

  /** Failures in a row are counted here, because opossum does not; it keeps the states, their timer and the trial. */
  #createBreaker(isHalfOpen = false): CircuitBreaker<WorkArguments> {
    const breaker = new CircuitBreaker(this.#work, {
      timeout: false,
      errorFilter: () => true,
      resetTimeout: this.#options.resetTimeoutMs,
      rollingCountBuckets: 1,
      rollingCountTimeout: 60_000,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      ...(isHalfOpen && { state: { enabled: true, closed: false, halfOpen: true } }),
    });
    breaker.on('open', () => {
      this.#openedAt = performance.now();
      this.#changed('opened');
    });
    breaker.on('halfOpen', () => this.#changed('half_open'));
    breaker.on('close', () => {
      this.#failuresInRow = 0;
      this.#changed('closed');
    });
    return breaker;
  }

  #changed(action: CircuitAction): void {
    const { name, logger, onChange } = this.#options;
    const fields = { server: name, action, failuresInRow: this.#failuresInRow };
    if (action === 'opened') logger.warn(fields, 'circuit opened');
    else logger.info(fields, action === 'closed' ? 'circuit closed' : 'circuit half open');
    onChange(action, action === 'half_open' ? undefined : this.#lastCall);
  }

  #toFailure(error: unknown): ConnectFailure {
    const { message, cause } = CodeExecutorError.from(error);
    const known = cause instanceof ConnectFailure ? cause : undefined;
    const count = this.#failuresInRow;
    const times = count === 1 ? 'a failure' : `${count} failures in a row`;
    const reason = `its circuit is open after ${times}; the last: ${known?.message ?? message}`;
    const fix = known?.fix ?? 'It is tried again automatically; if it keeps failing, check the server.';
    return new ConnectFailure(this.#options.name, reason.replace(/\.$/, ''), fix, error);
  }
}
