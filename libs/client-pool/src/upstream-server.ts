import {
  type CallOptions,
  type CodeExecutorError,
  type JsonObject,
  type Logger,
  type ToolResult,
  type ToolSchema,
  untilAborted,
} from '@code-executor/contracts';

import { cancelled } from './cancelled.js';
import type { CircuitAction } from './circuit.js';
import { ConnectFailure } from './connect-failure.js';
import { type Attempt, GuardedCalls } from './guarded-calls.js';
import type { ServerStats, UpstreamServer as ServerConfig } from './options.js';
import { ToolCatalog } from './tool-catalog.js';
import { SessionCache, type ToolListCache } from './tool-list-cache.js';
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
  failureThreshold: number;
  resetTimeoutMs: number;
  onCircuitChange: (action: CircuitAction) => void;
  /** Without one, the tools are known as long as the connection. */
  cache: ToolListCache | undefined;
  discoveryTimeoutMs: number;
  logger: Logger;
}

/** What is known about a server's tools, by their own names. */
export interface KnownTools {
  tools: ReadonlyMap<string, ToolSchema>;
  /** Why calling them would fail now, or why there are none. */
  failure?: ConnectFailure;
}

/** One configured server: connected when first needed, and again after its connection ended. */
export class UpstreamServer {
  readonly name: string;
  readonly #options: UpstreamServerOptions;
  readonly #stop = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  readonly #running = new Set<Promise<ToolResult>>();
  #isRetired = false;
  readonly #catalog: ToolCatalog;
  readonly #calls: GuardedCalls;
  readonly #sessionCache = new SessionCache();
  #session: UpstreamConnection | undefined;
  #attempt: Promise<UpstreamConnection> | undefined;
  /** The tools with the failure in each: the same map as long as both are the same. */
  #marked: (KnownTools & { of: ReadonlyMap<string, ToolSchema> }) | undefined;
  #failure: { reason: ConnectFailure; coolDownMs: number; retryAt: number } | undefined;

  constructor(options: UpstreamServerOptions) {
    this.name = options.name;
    this.#options = options;
    const { cache = this.#sessionCache } = options;
    this.#catalog = new ToolCatalog({ ...options, cache, list: () => this.#list() });
    this.#calls = new GuardedCalls({ ...options, transport: 'command' in options.server ? 'pipe' : 'tcp' });
  }

  get stats(): ServerStats {
    return { name: this.name, ...this.#state, ...this.#calls.circuit.stats };
  }

  get #state(): Pick<ServerStats, 'state' | 'tools' | 'reason'> {
    const tools = this.#catalog.size;
    if (this.#session && tools !== undefined) return { state: 'connected', tools };
    if (this.#session || this.#attempt) return { state: 'connecting' };
    if (this.#failure) return { state: 'failed', reason: this.#failure.reason.message };
    return { state: 'idle' };
  }

  /** Why calls would fail now: its last attempt to connect has failed, or its circuit is open. */
  get #problem(): ConnectFailure | undefined {
    return this.#failure?.reason ?? this.#calls.circuit.failure;
  }

  /** How long nobody tries to connect a failed server; 0 when the next use tries it again. */
  get #coolDownLeftMs(): number {
    const coolDownLeftMs = Math.ceil((this.#failure?.retryAt ?? 0) - performance.now());
    return Math.max(coolDownLeftMs, this.#calls.circuit.openLeftMs);
  }

  /**
   * The tools, and why calling them would fail; never rejects. With a cache that has them nothing is
   * connected; `refresh` reads them again, and waits `discoveryTimeoutMs` for it.
   */
  async tools(refresh = false): Promise<KnownTools> {
    try {
      if (refresh) await this.#catalog.refresh();
      const isRetryDue = this.#failure !== undefined && this.#coolDownLeftMs <= 0;
      const tools = await this.#catalog.current(isRetryDue);
      const failure = this.#problem;
      return failure ? this.#mark(tools, failure) : { tools };
    } catch (error) {
      return { tools: new Map(), failure: this.#toFailure(error) };
    }
  }

  /** Why a call would be refused now; undefined when it would not. */
  refusal(tool: string): CodeExecutorError | undefined {
    return this.#calls.circuit.refusal(tool);
  }

  /** The error of a call whose tool is not known because the server cannot be connected; it counts as a failed call. */
  failedCall(tool: string, failure: ConnectFailure): CodeExecutorError {
    const { circuit } = this.#calls;
    const refusal = circuit.refusal(tool);
    if (refusal) return refusal;
    const error = failure.toCallError(tool, this.#coolDownLeftMs);
    circuit.fail(error);
    return error;
  }

  /** Calls a tool that {@link tools} has listed; again if it fails and the tool allows that. */
  async call(tool: ToolSchema, ownName: string, args: JsonObject, options: CallOptions): Promise<ToolResult> {
    const call = this.#call(tool, ownName, args, options);
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** It takes no more calls. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Closes when the calls under way have ended, or after `drainMs`. */
  async retire(drainMs: number): Promise<void> {
    this.#isRetired = true;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
      this.#stop.signal.addEventListener('abort', () => resolve());
    });
    await Promise.race([Promise.allSettled(this.#running), limit]);
    clearTimeout(timer);
    await this.close();
  }

  #call(tool: ToolSchema, ownName: string, args: JsonObject, options: CallOptions): Promise<ToolResult> {
    const call = async ({ timeoutMs, traceparent, isUrgent }: Attempt) => {
      const { signal } = options;
      const connection = await this.#connectedFor(tool, isUrgent, signal);
      const upstream = { tool, ownName, args, timeoutMs, traceparent, signal };
      try {
        return await connection.callTool(upstream);
      } catch (error) {
        // Nothing was executed, and sessions expire in the best of servers: no reason to bother the caller.
        if (!connection.loss?.isSessionExpired) throw error;
      }
      const second = await this.#connectedFor(tool, isUrgent, signal);
      return second.callTool(upstream);
    };
    return this.#calls.run(tool, ownName, options, call);
  }

  /** Ends the connection, and any attempt at one, with their processes. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#calls.circuit.close();
    if (this.#session) this.#end(this.#session);
    await this.#attempt?.catch(() => {});
    await Promise.all(this.#closing);
  }

  async #connectedFor(
    tool: ToolSchema,
    isUrgent: boolean,
    signal: AbortSignal | undefined,
  ): Promise<UpstreamConnection> {
    try {
      const connection = await untilAborted(this.#connected(isUrgent), signal);
      this.#failure = undefined;
      return connection;
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal);
      throw this.#toFailure(error).toCallError(tool.name, this.#coolDownLeftMs);
    }
  }

  /** Asks the server itself. One that can be connected but not listed is as good as none. */
  async #list(): Promise<ReadonlyMap<string, ToolSchema>> {
    const isNew = !this.#session;
    const limit = this.#startLimit();
    let connection: UpstreamConnection | undefined;
    try {
      connection = await this.#connected();
      const tools = await connection.listTools(limit.signal);
      this.#failure = undefined;
      const { logger } = this.#options;
      if (isNew) logger.info({ server: this.name, tools: tools.size }, 'upstream server connected');
      return tools;
    } catch (error) {
      if (this.#stop.signal.aborted) throw this.#closedFailure();
      if (!connection || !isNew) throw error;
      if (this.#session === connection) this.#session = undefined;
      this.#end(connection);
      throw this.#rememberFailure(error);
    } finally {
      limit.end();
    }
  }

  /** A signal that fires after `connectTimeoutMs`, or when the server is closed. */
  #startLimit(): { signal: AbortSignal; end: () => void } {
    const limit = new AbortController();
    const onLimit = () => limit.abort();
    const timer = setTimeout(onLimit, this.#options.connectTimeoutMs);
    this.#stop.signal.addEventListener('abort', onLimit);
    const end = () => {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener('abort', onLimit);
    };
    return { signal: limit.signal, end };
  }

  /** The connection, or the one attempt at it that all callers share. */
  #connected(isUrgent = false): Promise<UpstreamConnection> {
    if (this.#stop.signal.aborted) return Promise.reject(this.#closedFailure());
    if (this.#session && !this.#session.loss) return Promise.resolve(this.#session);
    const problem = this.#problem;
    if (problem && !isUrgent && this.#coolDownLeftMs > 0) return Promise.reject(problem);
    this.#attempt ??= this.#connect().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #connect(): Promise<UpstreamConnection> {
    const connection = this.#createConnection();
    const limit = this.#startLimit();
    try {
      await connection.open(limit.signal);
      this.#stop.signal.throwIfAborted();
    } catch (error) {
      this.#end(connection);
      if (this.#stop.signal.aborted) throw this.#closedFailure();
      throw this.#rememberFailure(error);
    } finally {
      limit.end();
    }
    this.#session = connection;
    return connection;
  }

  #createConnection(): UpstreamConnection {
    const { name, logger } = this.#options;
    const connection = new UpstreamConnection({
      ...this.#options,
      onToolsChanged: () => this.#catalog.markChanged(),
      onLost: (loss) => {
        if (this.#session !== connection) return;
        this.#session = undefined;
        this.#sessionCache.forget();
        if (!this.#stop.signal.aborted) logger.warn({ server: name, loss }, 'upstream connection lost');
        this.#end(connection);
      },
    });
    return connection;
  }

  #mark(of: ReadonlyMap<string, ToolSchema>, failure: ConnectFailure): KnownTools {
    if (this.#marked?.of === of && this.#marked.failure === failure) return this.#marked;
    const { reason, fix } = failure.toFailedServer();
    const tools = new Map<string, ToolSchema>();
    for (const [name, tool] of of) tools.set(name, { ...tool, unavailable: { reason, fix } });
    this.#marked = { of, tools, failure };
    return this.#marked;
  }

  #rememberFailure(error: unknown): ConnectFailure {
    const { logger } = this.#options;
    const reason = this.#toFailure(error);
    if (reason !== error) logger.error({ server: this.name, err: error }, 'unexpected failure to connect');
    // Over when the circuit lets the next call try.
    const longestMs = Math.min(maxCoolDownMs, this.#options.resetTimeoutMs);
    const coolDownMs = Math.min((this.#failure?.coolDownMs ?? firstCoolDownMs / 2) * 2, longestMs);
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
    if (this.#isRetired) {
      const fix = 'List the tools to see what there is now.';
      return new ConnectFailure(this.name, 'it was changed in the configuration, or removed from it', fix);
    }
    return new ConnectFailure(this.name, 'the client pool is closed', 'Create a new one to call tools.');
  }

  #toFailure(error: unknown): ConnectFailure {
    if (error instanceof ConnectFailure) return error;
    return new ConnectFailure(this.name, 'it could not be connected', 'See the log for the cause.', error);
  }
}
