import {
  type CallOptions,
  type CodeExecutorError,
  type FailedServer,
  type JsonObject,
  type ListOptions,
  type Logger,
  type ToolResult,
  type ToolSchema,
  untilAborted,
  within,
} from '@code-executor/contracts';

import { cancelled } from './calls/cancelled.js';
import type { CircuitAction } from './calls/circuit.js';
import { ConnectFailure, type StillStarting } from './connection/connect-failure.js';
import { Connector } from './connection/connector.js';
import { explainStart } from './connection/explain-start.js';
import { type Attempt, GuardedCalls } from './calls/guarded-calls.js';
import type { ServerStats, UpstreamServer as ServerConfig } from './options.js';
import { ToolCatalog } from './catalog/tool-catalog.js';
import { SessionCache, type ToolListCache } from './catalog/tool-list-cache.js';
import type { UpstreamConnection } from './connection/upstream-connection.js';

export interface UpstreamServerOptions {
  name: string;
  server: ServerConfig;
  env: Record<string, string>;
  connectTimeoutMs: number;
  callTimeoutMs: number;
  failureThreshold: number;
  resetTimeoutMs: number;
  onCircuitChange: (action: CircuitAction, by?: CallOptions) => void;
  /** Without one, the tools are known as long as the connection. */
  cache: ToolListCache | undefined;
  discoveryTimeoutMs: number;
  logger: Logger;
}

/** What is known about a server's tools, by their own names. */
export interface KnownTools {
  tools: ReadonlyMap<string, ToolSchema>;
  /** Why calling them would fail now. */
  failure?: ConnectFailure;
}

/** No list of the server is known. */
export interface UnknownTools {
  tools: undefined;
  failure: ConnectFailure;
}

/** One configured server: its tools, and the way of all calls to it. */
export class UpstreamServer {
  readonly name: string;
  readonly #options: UpstreamServerOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<ToolResult>>();
  #isRetired = false;
  readonly #catalog: ToolCatalog;
  readonly #calls: GuardedCalls;
  readonly #connector: Connector;
  readonly #sessionCache = new SessionCache();
  /** The connection that the tools were last listed over, or are. */
  #listedOver: UpstreamConnection | undefined;
  /** The tools with the failure in each: the same map as long as both are the same. */
  #marked: (KnownTools & { of: ReadonlyMap<string, ToolSchema> }) | undefined;

  constructor(options: UpstreamServerOptions) {
    this.name = options.name;
    this.#options = options;
    const { cache = this.#sessionCache } = options;
    this.#catalog = new ToolCatalog({ ...options, cache, list: () => this.#list() });
    const transport = 'command' in options.server ? 'pipe' : 'tcp';
    this.#calls = new GuardedCalls({ ...options, transport, isPaused: () => this.isPaused });
    this.#connector = new Connector({
      ...options,
      onToolsChanged: () => this.#catalog.markChanged(),
      onLost: () => this.#sessionCache.forget(),
    });
  }

  get stats(): ServerStats {
    return { name: this.name, ...this.#state, ...this.#calls.circuit.stats };
  }

  get #state(): Pick<ServerStats, 'state' | 'tools' | 'reason'> {
    const { isConnected, isConnecting } = this.#connector;
    const tools = this.#catalog.size;
    const problem = this.#problem;
    // Whatever is connected: calls are refused.
    if (problem && !isConnecting) return { state: 'failed', reason: problem.message };
    if (isConnected && tools !== undefined) return { state: 'connected', tools };
    if (isConnected || isConnecting) return { state: 'connecting', reason: this.#slowStart().message };
    return { state: 'idle' };
  }

  /** Why calls would fail now: its last attempt to connect has failed, or its circuit is open. */
  get #problem(): ConnectFailure | undefined {
    return this.#connector.failure ?? this.#calls.circuit.failure;
  }

  /** How long nobody tries to connect a failed server; 0 when the next use tries it again. */
  get #coolDownLeftMs(): number {
    return Math.max(this.#connector.coolDownLeftMs, this.#calls.circuit.openLeftMs);
  }

  /**
   * The tools, and why calling them would fail; never rejects. With a cache that has them nothing is
   * connected; `refresh` reads them again. Waits `discoveryTimeoutMs` for the server, or `untilReady`.
   */
  async tools({ refresh = false, untilReady = false }: ListOptions = {}): Promise<KnownTools | UnknownTools> {
    try {
      if (refresh) await this.#catalog.refresh();
      const isRetryDue = this.#connector.failure !== undefined && this.#coolDownLeftMs <= 0;
      const tools = await this.#catalog.current({ isRetryDue, untilReady });
      if (!tools) return { tools, failure: this.#slowStart() };
      const failure = this.#problem;
      return failure ? this.#mark(tools, failure) : { tools };
    } catch (error) {
      return { tools: undefined, failure: this.#connector.toFailure(error) };
    }
  }

  /** What a listing says of a failure that {@link tools} gave. */
  describe(failure: ConnectFailure): FailedServer {
    return failure.toFailedServer(this.#coolDownLeftMs);
  }

  /** The {@link tools} as the server has them now: for a tool that is not among those of the last time. */
  async toolsOfNow(): Promise<KnownTools | UnknownTools> {
    const { living } = this.#connector;
    const isListed = living !== undefined && living === this.#listedOver;
    if (isListed && this.#catalog.askedForMs === undefined) return this.tools({ untilReady: true });
    try {
      await this.#connected();
    } catch (error) {
      return { tools: undefined, failure: this.#connector.toFailure(error) };
    }
    await this.#catalog.listAgain();
    return this.tools({ untilReady: true });
  }

  /** Why a call would be refused now; undefined when it would not. */
  refusal(tool: string): CodeExecutorError | undefined {
    return this.#calls.circuit.refusal(tool);
  }

  /** The error of a call whose tool is not known because the server cannot be connected; it counts as a failed call. */
  failedCall(tool: string, failure: ConnectFailure, by: CallOptions): CodeExecutorError {
    const { circuit } = this.#calls;
    const refusal = circuit.refusal(tool);
    if (refusal) return refusal;
    const error = failure.toCallError(tool, this.#coolDownLeftMs);
    circuit.fail(error, by);
    return error;
  }

  /** Resolves when it is connected, or cannot be. For calls to wait before they take what others need. */
  async settled(): Promise<void> {
    if (!this.#connector.living) await this.#connected().catch(() => undefined);
  }

  /** Whether calls have to wait for {@link paced}. */
  get isPaused(): boolean {
    return this.#connector.isPaused;
  }

  /** Resolves when a call may connect the server: one that keeps going away is started later and later. */
  paced(): Promise<void> {
    return this.#connector.paced();
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
    await within(drainMs, Promise.allSettled(this.#running), this.#stop.signal);
    await this.close();
  }

  /** Ends the connection, and any attempt at one, with their processes. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#calls.circuit.close();
    await this.#connector.close(this.#whyClosed());
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

  async #connectedFor(
    tool: ToolSchema,
    isUrgent: boolean,
    signal: AbortSignal | undefined,
  ): Promise<UpstreamConnection> {
    try {
      const connection = await untilAborted(this.#connected(isUrgent), signal);
      this.#connector.succeeded();
      // What is known of its tools may be of yesterday.
      if (connection !== this.#listedOver) void this.#catalog.refresh();
      return connection;
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal);
      throw this.#connector.toFailure(error).toCallError(tool.name, this.#coolDownLeftMs);
    }
  }

  /** The connection; `isUrgent` also tries to make one where that has failed a moment ago. */
  #connected(isUrgent = false): Promise<UpstreamConnection> {
    const isSettled = this.#connector.living !== undefined || this.#stop.signal.aborted;
    const problem = isSettled ? undefined : this.#problem;
    if (problem && !isUrgent && this.#coolDownLeftMs > 0) return Promise.reject(problem);
    return this.#connector.connect();
  }

  /** Asks the server itself. One that can be connected but not listed is as good as none. */
  async #list(): Promise<ReadonlyMap<string, ToolSchema>> {
    if (this.#connector.isPaused) await this.#connector.paced();
    const isNew = !this.#connector.isConnected;
    return this.#connector.withinStartLimit(async (signal) => {
      const connection = await this.#connected();
      this.#listedOver = connection;
      try {
        const tools = await connection.listTools(signal);
        this.#connector.succeeded();
        const { logger } = this.#options;
        if (isNew) logger.info({ server: this.name, tools: tools.size }, 'upstream server connected');
        return tools;
      } catch (error) {
        if (this.#stop.signal.aborted || !isNew) throw error;
        throw this.#connector.giveUp(connection, error);
      }
    });
  }

  #mark(of: ReadonlyMap<string, ToolSchema>, failure: ConnectFailure): KnownTools {
    if (this.#marked?.of === of && this.#marked.failure === failure) return this.#marked;
    const { reason, fix } = failure.toFailedServer();
    const tools = new Map<string, ToolSchema>();
    for (const [name, tool] of of) tools.set(name, { ...tool, unavailable: { reason, fix } });
    this.#marked = { of, tools, failure };
    return this.#marked;
  }

  #slowStart(): StillStarting {
    const { name, server, connectTimeoutMs } = this.#options;
    return explainStart({ name, server, connectTimeoutMs, startingForMs: this.#catalog.askedForMs ?? 0 });
  }

  #whyClosed(): ConnectFailure {
    if (this.#isRetired) {
      const fix = 'List the tools to see what there is now.';
      return new ConnectFailure(this.name, 'it was changed in the configuration, or removed from it', fix);
    }
    return new ConnectFailure(this.name, 'the client pool is closed', 'Create a new one to call tools.');
  }
}
