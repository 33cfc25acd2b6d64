import { setTimeout as delay } from 'node:timers/promises';

import { type Logger } from '@code-executor/contracts';

import { ConnectFailure } from './connect-failure.js';
import type { ConnectionOptions } from './connection-options.js';
import { LoginNeededFailure } from '../login/login-needed.js';
import { RestartPace } from './restart-pace.js';
import { UpstreamConnection } from './upstream-connection.js';

/** After a failed attempt the server is left alone for this long, twice as long after each further one. */
const firstCoolDownMs = 2_000;
const maxCoolDownMs = 30_000;

export interface ConnectorOptions extends Omit<ConnectionOptions, 'onLost'> {
  /** Limits the cool-down: by then the circuit lets a call try. */
  resetTimeoutMs: number;
  /** The connection is gone, other than by {@link Connector.close}. */
  onLost: () => void;
  logger: Logger;
}

/** Keeps the one connection to a server: made when it is needed, and again after it ended. */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #stop = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  readonly #pace = new RestartPace();
  #connection: UpstreamConnection | undefined;
  #attempt: Promise<UpstreamConnection> | undefined;
  #failure: { reason: ConnectFailure; coolDownMs: number; retryAt: number } | undefined;
  #whyClosed: ConnectFailure | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  get isClosed(): boolean {
    return this.#whyClosed !== undefined;
  }

  get isConnecting(): boolean {
    return this.#attempt !== undefined;
  }

  /** Why the last attempt failed; undefined if it did not. */
  get failure(): ConnectFailure | undefined {
    return this.#failure?.reason;
  }

  /** How long no attempt should be made; 0 if the next use may try again. */
  get coolDownLeftMs(): number {
    // An attempt without a new login asks nobody.
    if (this.#failure?.reason instanceof LoginNeededFailure) return 0;
    return Math.max(0, Math.ceil((this.#failure?.retryAt ?? 0) - performance.now()));
  }

  /** Whether the next start has to wait because the server keeps going away; see {@link pauseEnded}. */
  get isPaused(): boolean {
    return !this.#whyClosed && !this.living && this.#pace.pauseMs > 0;
  }

  /** Resolves when the next start needs no pause. Wait for it before you take anything that others need. */
  async pauseEnded(): Promise<void> {
    while (this.isPaused) {
      const { pauseMs } = this.#pace;
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** The connection, if it is alive. */
  get living(): UpstreamConnection | undefined {
    return this.#connection?.loss ? undefined : this.#connection;
  }

  /** The connection, or the one attempt at it that all callers share; rejects with a `ConnectFailure`. */
  connect(): Promise<UpstreamConnection> {
    if (this.#whyClosed) return Promise.reject(this.#whyClosed);
    if (this.living) return Promise.resolve(this.living);
    this.#attempt ??= this.#connect().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  /** Uses the connection within `connectTimeoutMs`, the limit of a server's start. */
  async withinStartLimit<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const onLimit = () => limit.abort();
    const timer = setTimeout(onLimit, this.#options.connectTimeoutMs);
    this.#stop.signal.addEventListener('abort', onLimit);
    try {
      return await use(limit.signal);
    } catch (error) {
      throw this.#whyClosed ?? error;
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener('abort', onLimit);
    }
  }

  /** The server could be connected and used. */
  succeeded(): void {
    this.#failure = undefined;
  }

  /** Gives up a connection that is of no use; returns why. No attempt is made until the cool-down is over. */
  giveUp(connection: UpstreamConnection, error: unknown): ConnectFailure {
    if (this.#connection === connection) this.#connection = undefined;
    this.#end(connection);
    return this.#rememberFailure(error);
  }

  /** The error of a caller that needed the connection. */
  toFailure(error: unknown): ConnectFailure {
    if (error instanceof ConnectFailure) return error;
    return new ConnectFailure(
      this.#options.name,
      'it could not be connected',
      'See the log for the cause.',
      error,
    );
  }

  /** Ends the connection, and any attempt at one, with their processes; callers that still need it get `why`. */
  async close(why: ConnectFailure): Promise<void> {
    this.#whyClosed ??= why;
    this.#stop.abort();
    if (this.#connection) this.#end(this.#connection);
    await this.#attempt?.catch(() => {});
    await Promise.all(this.#closing);
  }

  async #connect(): Promise<UpstreamConnection> {
    if (this.isPaused) await this.pauseEnded();
    const connection = this.#createConnection();
    try {
      this.#stop.signal.throwIfAborted();
      await this.withinStartLimit((signal) => connection.open(signal));
      this.#stop.signal.throwIfAborted();
    } catch (error) {
      this.#end(connection);
      throw this.#whyClosed ?? this.#rememberFailure(error);
    }
    this.#connection = connection;
    this.#pace.connected();
    return connection;
  }

  #createConnection(): UpstreamConnection {
    const { name, logger, onLost } = this.#options;
    const connection = new UpstreamConnection({
      ...this.#options,
      onLost: (loss) => {
        if (this.#connection !== connection) return;
        this.#connection = undefined;
        onLost();
        this.#end(connection);
        if (this.#whyClosed) return;
        if (loss.needsLogin) {
          this.#rememberFailure(new LoginNeededFailure(name));
          return;
        }
        logger.warn({ server: name, loss }, 'upstream connection lost');
        if (!loss.isSessionExpired) this.#pace.lost();
        const { pauseMs } = this.#pace;
        if (pauseMs > 0) logger.debug({ server: name, pauseMs }, 'upstream server keeps going away; waiting');
      },
    });
    return connection;
  }

  #rememberFailure(error: unknown): ConnectFailure {
    const { name, logger, resetTimeoutMs } = this.#options;
    const reason = this.toFailure(error);
    const before = this.#failure?.reason;
    if (reason instanceof LoginNeededFailure && before instanceof LoginNeededFailure) return before;
    if (reason !== error) logger.error({ server: name, err: error }, 'unexpected failure to connect');
    // It ends at the latest when the circuit lets the next call try.
    const longestMs = Math.min(maxCoolDownMs, resetTimeoutMs);
    const coolDownMs = Math.min((this.#failure?.coolDownMs ?? firstCoolDownMs / 2) * 2, longestMs);
    this.#failure = { reason, coolDownMs, retryAt: performance.now() + coolDownMs };
    logger.warn({ server: name, reason: reason.message, coolDownMs }, 'upstream server failed');
    return reason;
  }

  /** Closes the connection in the background; {@link close} waits for it. */
  #end(connection: UpstreamConnection): void {
    const closing = connection.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
