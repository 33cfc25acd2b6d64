import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  type CallOptions,
  CodeExecutorError,
  type FailedServer,
  type JsonObject,
  type ListOptions,
  silentLogger,
  type ToolListing,
  type ToolName,
  type ToolResult,
  type ToolSource,
  within,
} from '@code-executor/contracts';

import { CallQueue } from './calls/call-queue.js';
import { makeCall } from './calls/call-steps.js';
import { PoolCall, type PoolParts } from './calls/pool-call.js';
import { ToolFinder } from './catalog/tool-finder.js';
import type { LoginUnderWay } from './login/begin-login.js';
import { LoginsUnderWay } from './login/logins-under-way.js';
import { usesLogin } from './login/uses-login.js';
import type { ClientPoolOptions, PoolStats, UpstreamServer as ServerConfig } from './options.js';
import { PoolRecords } from './pool-records.js';
import { PoolServers } from './pool-servers.js';
import { UpstreamServer } from './upstream-server.js';

/**
 * All configured upstream MCP servers as one `ToolSource`. A server is connected when it is first
 * needed, all of them side by side; one that fails, or takes long to start, is reported, and never hides the others
 * or delays a listing beyond `discoveryTimeoutMs`.
 */
export class ClientPool implements ToolSource {
  readonly #options: ClientPoolOptions;
  readonly #records: PoolRecords;
  readonly #servers: PoolServers;
  readonly #parts: PoolParts;
  /** Listings and calls. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #logins = new LoginsUnderWay((server, action) => this.#records.login(server, action));
  #closing: Promise<void> | undefined;

  /** Opens nothing: no process, no connection. */
  constructor(options: ClientPoolOptions) {
    const { maxConcurrent = 100, maxQueued = 200, queueTimeoutMs = 30_000 } = options;
    this.#options = options;
    this.#records = new PoolRecords(options);
    this.#servers = new PoolServers((name, server) => this.#createServer(name, server));
    this.#servers.update(options.servers, options.unusable ?? [], 0);
    this.#parts = {
      finder: new ToolFinder(this.#servers),
      queue: new CallQueue({
        maxConcurrent,
        maxQueued,
        queueTimeoutMs,
        serverNames: () => this.#servers.names,
        onRefused: (action, call, waitedMs) => this.#records.refused(action, call, waitedMs),
      }),
      assertOpen: () => this.#assertOpen(),
    };
  }

  get stats(): PoolStats {
    return { ...this.#parts.queue.stats, servers: this.#servers.stats };
  }

  /**
   * Tools in the order of the configured servers, then by name; `query` is left to the proxy, which ranks. Never
   * waits for the calls under way.
   */
  listTools(options: ListOptions = {}): Promise<ToolListing> {
    return this.#counted(this.#listTools(options));
  }

  callTool(name: ToolName, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    return this.#counted(makeCall(new PoolCall(this.#parts, name, args, options)));
  }

  /**
   * Has these servers from now on. Those that are configured as before stay connected; the others finish the calls
   * under way, for `drainMs` at most (default 30,000), and take no more.
   */
  update(
    servers: ClientPoolOptions['servers'],
    unusable: readonly FailedServer[] = [],
    drainMs = 30_000,
  ): void {
    this.#assertOpen();
    this.#servers.update(servers, unusable, drainMs);
  }

  /**
   * Resolves when no listing and no call is under way, or after `limitMs`; those that begin meanwhile are let in, and
   * waited for, too. Call it before you close the pool.
   */
  async drain(limitMs: number): Promise<void> {
    await within(limitMs, this.#idle());
  }

  /**
   * Begins the login at a remote server, or joins the one under way. The address may be shown to a person on this machine;
   * the login is finished in the background, and used by the next call. Rejects if the server needs none.
   */
  beginLogin(name: string): Promise<LoginUnderWay> {
    this.#assertOpen();
    const { loginFolder: folder } = this.#options;
    const server = this.#servers.configuration(name);
    if (!server || !usesLogin(server) || folder === undefined) {
      const message = `There is no remote server named ${name} to log in at.`;
      return Promise.reject(new CodeExecutorError('not_found', message, { server: name }));
    }
    return this.#logins.begin({ name, server, folder });
  }

  /** Ends all connections and child processes, in about two seconds at most; calls under way are cancelled. */
  async close(): Promise<void> {
    this.#logins.stop();
    this.#closing ??= this.#servers.close();
    await this.#closing;
  }

  async #listTools(options: ListOptions): Promise<ToolListing> {
    this.#assertOpen();
    return this.#parts.finder.list(options);
  }

  async #counted<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Resolves when no listing and no call is under way. */
  async #idle(): Promise<void> {
    while (this.#underWay.size > 0) {
      await Promise.allSettled(this.#underWay);
      // A program that has listed tools may call one of them now.
      await nextTurn();
    }
  }

  #createServer(name: string, server: ServerConfig): UpstreamServer {
    const { baseEnv, cache, loginFolder, onListed, logger = silentLogger } = this.#options;
    const { callTimeoutMs = 60_000, discoveryTimeoutMs = 500 } = this.#options;
    const { connectTimeoutMs = this.#options.connectTimeoutMs ?? 120_000 } = server;
    const { failureThreshold = 5, resetTimeoutMs = 30_000 } = this.#options;
    const limits = { callTimeoutMs, connectTimeoutMs, discoveryTimeoutMs, failureThreshold, resetTimeoutMs };
    const env = { ...baseEnv, ...('command' in server ? server.env : undefined) };
    return new UpstreamServer({
      ...limits,
      cache,
      onListed,
      logger,
      loginFolder,
      onLogin: (action) => this.#records.login(name, action),
      onCircuitChange: (action, by) => this.#records.circuitChanged(name, action, by),
      name,
      server,
      env,
    });
  }

  #assertOpen(): void {
    if (!this.#closing) return;
    throw new CodeExecutorError('failed_precondition', 'The client pool is closed; create a new one.');
  }
}
