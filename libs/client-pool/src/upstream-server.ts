import {
  type CallOptions,
  type CodeExecutorError,
  type FailedServer,
  type ListOptions,
  type ToolSchema,
  type LoginEvent,
  untilAborted,
  within,
} from '@code-executor/contracts';

import { cancelled } from './calls/cancelled.js';
import { Circuit, type CircuitAction } from './calls/circuit.js';
import {
  type KnownTools,
  ServerTools,
  type ServerToolsOptions,
  type UnknownTools,
} from './catalog/server-tools.js';
import { ConnectFailure } from './connection/connect-failure.js';
import { Connector } from './connection/connector.js';
import type { UpstreamConnection } from './connection/upstream-connection.js';
import { loginCommand, LoginNeededFailure } from './login/login-needed.js';
import { LoginTokens } from './login/login-tokens.js';
import { usesLogin } from './login/uses-login.js';
import type { ServerStats } from './options.js';
import { ServerAccess } from './server-access.js';

export interface UpstreamServerOptions extends ServerToolsOptions {
  env: Record<string, string>;
  callTimeoutMs: number;
  failureThreshold: number;
  resetTimeoutMs: number;
  /** Where logins are kept; absent if there are none. */
  loginFolder: string | undefined;
  onLogin: (action: LoginEvent['action']) => void;
  onCircuitChange: (action: CircuitAction, by?: CallOptions) => void;
}

/** One configured server: its tools, its circuit and its connection. */
export class UpstreamServer {
  readonly name: string;
  /** How calls travel, as spans name it. */
  readonly transport: 'pipe' | 'tcp';
  readonly callTimeoutMs: number;
  readonly circuit: Circuit;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #connector: Connector;
  readonly #access: ServerAccess;
  readonly #tools: ServerTools;
  #isRetired = false;

  constructor(options: UpstreamServerOptions) {
    this.name = options.name;
    this.transport = 'command' in options.server ? 'pipe' : 'tcp';
    this.callTimeoutMs = options.callTimeoutMs;
    this.circuit = new Circuit({ ...options, onChange: options.onCircuitChange });
    this.#connector = new Connector({
      ...options,
      tokens: tokensFor(options),
      knownProtocol: () => this.#tools.protocol,
      onProtocolChanged: () => this.#tools.forgetProtocol(),
      onToolsChanged: () => this.#tools.markChanged(),
      onLost: () => this.#tools.forgetSession(),
    });
    this.#access = new ServerAccess(this.#connector, this.circuit);
    this.#tools = new ServerTools(options, this.#access);
  }

  get stats(): ServerStats {
    return { name: this.name, ...this.#state, ...this.circuit.stats };
  }

  get #state(): Pick<ServerStats, 'state' | 'tools' | 'reason'> {
    const { isConnected, isConnecting } = this.#connector;
    const { size: tools, slowStart } = this.#tools;
    const { problem } = this.#access;
    // Even while it is connected, its calls are refused.
    if (problem instanceof LoginNeededFailure) {
      return { state: 'failed', reason: `${problem.message}; run: ${loginCommand(this.name)}` };
    }
    if (problem && !isConnecting) return { state: 'failed', reason: problem.message };
    if (isConnected && tools !== undefined) return { state: 'connected', tools };
    if (isConnected || isConnecting) return { state: 'connecting', reason: slowStart.message };
    return { state: 'idle' };
  }

  /** Its tools, and why calling them would fail; see {@link ServerTools.known}. */
  tools(options: ListOptions = {}): Promise<KnownTools | UnknownTools> {
    return this.#tools.known(options);
  }

  /** Its {@link tools} as it has them now, for a tool that is not in the known list. */
  toolsOfNow(): Promise<KnownTools | UnknownTools> {
    return this.#tools.now();
  }

  /** What a listing says of a failure that {@link tools} gave. */
  describe(failure: ConnectFailure): FailedServer {
    return failure.toFailedServer(this.#access.coolDownLeftMs);
  }

  /** The error of a call whose tool is not known because the server cannot be connected; it counts as a failed call. */
  failedCall(tool: string, failure: ConnectFailure, by: CallOptions): CodeExecutorError {
    const refusal = this.circuit.refusal(tool);
    if (refusal) return refusal;
    const error = failure.toCallError(tool, this.#access.coolDownLeftMs);
    // It works, and waits for a person.
    if (failure instanceof LoginNeededFailure) return error;
    this.circuit.fail(error, by);
    return error;
  }

  /** Resolves when it is connected, or cannot be. Calls wait for this before they take what others need. */
  async startEnded(): Promise<void> {
    if (!this.#connector.living) await this.#access.connected().catch(() => undefined);
  }

  /** Whether calls have to wait for {@link pauseEnded}. */
  get isPaused(): boolean {
    return this.#connector.isPaused;
  }

  /** Resolves when a call may connect the server; the pauses of one that keeps going away grow longer. */
  pauseEnded(): Promise<void> {
    return this.#connector.pauseEnded();
  }

  /** The connection for a call; rejects with the error of the call. */
  async connectedFor(
    tool: string,
    isUrgent: boolean,
    signal: AbortSignal | undefined,
  ): Promise<UpstreamConnection> {
    try {
      const connection = await untilAborted(this.#access.connected(isUrgent), signal);
      this.#connector.succeeded();
      this.#tools.usedOver(connection);
      return connection;
    } catch (error) {
      if (signal?.aborted) throw cancelled(signal);
      throw this.#connector.toFailure(error).toCallError(tool, this.#access.coolDownLeftMs);
    }
  }

  /** A tool as it is listed over this connection; see {@link ServerTools.over}. */
  toolOver(connection: UpstreamConnection, ownName: string): Promise<ToolSchema | undefined> {
    return this.#tools.over(connection, ownName);
  }

  /** A call that {@link retire} waits for. */
  async counted<T>(call: Promise<T>): Promise<T> {
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** Whether it takes no more calls. */
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
    this.circuit.close();
    await this.#connector.close(this.#whyClosed());
  }

  #whyClosed(): ConnectFailure {
    if (this.#isRetired) {
      const fix = 'List the tools to see what there is now.';
      return new ConnectFailure(this.name, 'it was changed in the configuration, or removed from it', fix);
    }
    return new ConnectFailure(this.name, 'the client pool is closed', 'Create a new one to call tools.');
  }
}

function tokensFor({
  name,
  server,
  loginFolder: folder,
  logger,
  onLogin,
}: UpstreamServerOptions): LoginTokens | undefined {
  if (!usesLogin(server) || folder === undefined) return undefined;
  return new LoginTokens({ name, server, folder, logger, record: onLogin });
}
