import type { JsonObject, Logger, ToolResult, ToolSchema } from '@code-executor/contracts';

import { ConnectFailure } from './connect-failure.js';
import type { ServerStats, UpstreamServer as ServerConfig } from './options.js';
import { ToolCatalog } from './tool-catalog.js';
import { UpstreamConnection } from './upstream-connection.js';

/** After a failed attempt the server is left alone for this long, twice as long after each further one. */
const firstCoolDownMs = 2_000;
const maxCoolDownMs = 30_000;

export interface UpstreamServerOptions {
  name: string;
  server: ServerConfig;
  env: Record<string, string>;
  connectTimeoutMs: number;
  callTimeoutMs: number;
  logger: Logger;
}

/** A connection whose tools are known. */
interface Session {
  connection: UpstreamConnection;
  catalog: ToolCatalog;
}

/** One configured server: connected when first needed, and again after its connection ended. */
export class UpstreamServer {
  readonly name: string;
  readonly #options: UpstreamServerOptions;
  readonly #stop = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #session: Session | undefined;
  #attempt: Promise<Session> | undefined;
  #failure: { reason: ConnectFailure; coolDownMs: number; retryAt: number } | undefined;

  constructor(options: UpstreamServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get stats(): ServerStats {
    const { name } = this;
    if (this.#session) return { name, state: 'connected', tools: this.#session.catalog.size };
    if (this.#attempt) return { name, state: 'connecting' };
    if (this.#failure) return { name, state: 'failed', reason: this.#failure.reason.message };
    return { name, state: 'idle' };
  }

  /** How long a failed server is still left alone; 0 when the next use tries it again. */
  get coolDownLeftMs(): number {
    return Math.max(0, Math.ceil((this.#failure?.retryAt ?? 0) - performance.now()));
  }

  /** The tools by their own names, or why there are none; never rejects. */
  async tools(): Promise<ReadonlyMap<string, ToolSchema> | ConnectFailure> {
    try {
      return await (await this.#connected()).catalog.current();
    } catch (error) {
      return this.#toFailure(error);
    }
  }

  /** Calls a tool that {@link tools} has listed. */
  async call(tool: ToolSchema, ownName: string, args: JsonObject, signal?: AbortSignal): Promise<ToolResult> {
    const first = (await this.#connectedFor(tool)).connection;
    try {
      return await first.callTool(tool, ownName, args, signal);
    } catch (error) {
      // Nothing was executed, and sessions expire in the best of servers: no reason to bother the caller.
      if (!first.loss?.isSessionExpired) throw error;
    }
    const second = (await this.#connectedFor(tool)).connection;
    return second.callTool(tool, ownName, args, signal);
  }

  /** Ends the connection, and any attempt at one, with their processes. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#session) this.#end(this.#session.connection);
    await this.#attempt?.catch(() => {});
    await Promise.all(this.#closing);
  }

  async #connectedFor(tool: ToolSchema): Promise<Session> {
    try {
      return await this.#connected();
    } catch (error) {
      throw this.#toFailure(error).toCallError(tool.name, this.coolDownLeftMs);
    }
  }

  /** The session, or the one attempt at it that all callers share. */
  #connected(): Promise<Session> {
    if (this.#stop.signal.aborted) return Promise.reject(this.#closedFailure());
    if (this.#session && !this.#session.connection.loss) return Promise.resolve(this.#session);
    if (this.#failure && this.coolDownLeftMs > 0) return Promise.reject(this.#failure.reason);
    this.#attempt ??= this.#connect().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #connect(): Promise<Session> {
    const { logger, connectTimeoutMs } = this.#options;
    const limit = new AbortController();
    const onLimit = () => limit.abort();
    const timer = setTimeout(onLimit, connectTimeoutMs);
    this.#stop.signal.addEventListener('abort', onLimit);
    const session = this.#createSession();
    try {
      await session.connection.open(limit.signal);
      await session.catalog.load(limit.signal);
      this.#stop.signal.throwIfAborted();
    } catch (error) {
      this.#end(session.connection);
      if (this.#stop.signal.aborted) throw this.#closedFailure();
      throw this.#rememberFailure(error);
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener('abort', onLimit);
    }
    this.#failure = undefined;
    this.#session = session;
    logger.info({ server: this.name, tools: session.catalog.size }, 'upstream server connected');
    return session;
  }

  #createSession(): Session {
    const { name, logger, connectTimeoutMs } = this.#options;
    const connection = new UpstreamConnection({
      ...this.#options,
      onToolsChanged: () => catalog.markStale(),
      onLost: (loss) => {
        if (this.#session?.connection !== connection) return;
        this.#session = undefined;
        if (!this.#stop.signal.aborted) logger.warn({ server: name, loss }, 'upstream connection lost');
        this.#end(connection);
      },
    });
    const catalog = new ToolCatalog((signal) => connection.listTools(signal), connectTimeoutMs, logger);
    return { connection, catalog };
  }

  #rememberFailure(error: unknown): ConnectFailure {
    const { logger } = this.#options;
    const reason = this.#toFailure(error);
    if (reason !== error) logger.error({ server: this.name, err: error }, 'unexpected failure to connect');
    const coolDownMs = Math.min((this.#failure?.coolDownMs ?? firstCoolDownMs / 2) * 2, maxCoolDownMs);
    this.#failure = { reason, coolDownMs, retryAt: performance.now() + coolDownMs };
    logger.warn({ server: this.name, reason: reason.message, coolDownMs }, 'upstream server failed');
    return reason;
  }

  /** Closes the connection in the background; {@link close} waits for it. */
  #end(connection: UpstreamConnection): void {
    const closing = connection.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #closedFailure(): ConnectFailure {
    return new ConnectFailure(this.name, 'the client pool is closed', 'Create a new one to call tools.');
  }

  #toFailure(error: unknown): ConnectFailure {
    if (error instanceof ConnectFailure) return error;
    return new ConnectFailure(this.name, 'it could not be connected', 'See the log for the cause.', error);
  }
}
