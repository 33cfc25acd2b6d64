import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  type CallerEvent,
  type CallOptions,
  CodeExecutorError,
  type EventMarks,
  type FailedServer,
  type JsonObject,
  type ListOptions,
  parseTraceparent,
  silentLogger,
  type ToolListing,
  type ToolName,
  type ToolResult,
  type ToolSchema,
  type ToolSource,
  untilAborted,
  within,
} from '@code-executor/contracts';

import { CallQueue } from './calls/call-queue.js';
import { cancelled } from './calls/cancelled.js';
import type { CircuitAction } from './calls/circuit.js';
import { MergedLists } from './catalog/merged-lists.js';
import type { ClientPoolOptions, PoolStats, UpstreamServer as ServerConfig } from './options.js';
import { possibleOwners } from './catalog/tool-names.js';
import { UnusableServer } from './unusable-server.js';
import { type KnownTools, type UnknownTools, UpstreamServer } from './upstream-server.js';

const maxShownNameChars = 200;

const circuitStatus = { opened: 'failure', half_open: 'success', closed: 'success' } as const;

/** A listed tool, and where to call it. */
interface FoundTool {
  server: UpstreamServer;
  ownName: string;
  schema: ToolSchema;
}

/** A server that a tool may belong to, and what it has. */
interface Owner {
  server: UpstreamServer | UnusableServer;
  ownName: string;
  known: KnownTools | UnknownTools;
}

/**
 * All configured upstream MCP servers as one `ToolSource`. A server is connected when it is first
 * needed, all of them side by side; one that fails, or takes long to start, is reported, and never hides the others
 * or delays a listing beyond `discoveryTimeoutMs`.
 */
export class ClientPool implements ToolSource {
  #servers: readonly UpstreamServer[];
  #unusable: readonly UnusableServer[];
  /** What the servers were made of. */
  #configured: ClientPoolOptions['servers'];
  /** Listings and calls. */
  readonly #underWay = new Set<Promise<unknown>>();
  /** Servers that finish their calls and take no more. */
  readonly #retiring = new Set<UpstreamServer>();
  readonly #queue: CallQueue;
  readonly #options: ClientPoolOptions;
  readonly #lists = new MergedLists();
  #closing: Promise<unknown> | undefined;

  /** Opens nothing: no process, no connection. */
  constructor(options: ClientPoolOptions) {
    const { maxConcurrent = 100, maxQueued = 200, queueTimeoutMs = 30_000 } = options;
    this.#options = options;
    this.#configured = options.servers;
    this.#servers = Object.entries(options.servers).map(([name, server]) => this.#createServer(name, server));
    this.#unusable = toUnusable(options.unusable);
    this.#lists.order = Object.keys(options.servers);
    this.#queue = new CallQueue({
      maxConcurrent,
      maxQueued,
      queueTimeoutMs,
      serverNames: () => Object.keys(this.#configured),
      onRefused: (action, { tool, options }, waitedMs) => {
        const queued = waitedMs === undefined ? {} : { queuedMs: waitedMs };
        const about = { toolName: tool.name, server: tool.server };
        this.#record({ type: 'queue', action, status: 'rejected', ...about, ...queued, ...marksOf(options) });
      },
    });
  }

  get stats(): PoolStats {
    return {
      ...this.#queue.stats,
      servers: this.#all.map((server) => server.stats),
    };
  }

  get #all(): readonly (UpstreamServer | UnusableServer)[] {
    return [...this.#servers, ...this.#unusable];
  }

  /**
   * Tools in the order of the configured servers, then by name; `query` is left to whoever ranks. Never
   * waits for the calls under way. The whole list is the same array as long as nothing in it changed: do
   * not change it.
   */
  listTools(options: ListOptions = {}): Promise<ToolListing> {
    return this.#counted(this.#listTools(options));
  }

  callTool(name: ToolName, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> {
    return this.#counted(this.#callTool(name, args, options));
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
    this.#unusable = toUnusable(unusable);
    const before = new Map(this.#servers.map((server) => [server.name, server]));
    this.#servers = Object.entries(servers).map(([name, server]) => {
      const known = before.get(name);
      const isSame = JSON.stringify(server) === JSON.stringify(this.#configured[name]);
      if (known && isSame) before.delete(name);
      return known && isSame ? known : this.#createServer(name, server);
    });
    this.#configured = servers;
    this.#lists.order = Object.keys(servers);
    for (const server of before.values()) {
      this.#retiring.add(server);
      void server.retire(drainMs).finally(() => this.#retiring.delete(server));
    }
  }

  /**
   * Resolves when no listing and no call is under way, or after `limitMs`; those that come meanwhile are let in, and
   * waited for, too. For whoever is about to close the pool.
   */
  async drain(limitMs: number): Promise<void> {
    await within(limitMs, this.#idle());
  }

  /** Ends all connections and child processes, in about two seconds at most; calls under way are cancelled. */
  async close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#servers, ...this.#retiring].map((server) => server.close()));
    await this.#closing;
  }

  /** Resolves when no listing and no call is under way. */
  async #idle(): Promise<void> {
    while (this.#underWay.size > 0) {
      await Promise.allSettled(this.#underWay);
      // A program that has listed tools may call one of them now.
      await nextTurn();
    }
  }

  async #listTools(options: ListOptions): Promise<ToolListing> {
    const { name, server: asked, offset = 0, limit = Infinity, signal } = options;
    this.#assertOpen();
    const all = this.#all;
    let servers = all;
    if (name !== undefined) servers = possibleOwners(name, servers).map(({ server }) => server);
    if (asked !== undefined) servers = servers.filter((server) => server.name === asked);
    const answers =
      name !== undefined && options.untilReady
        ? this.#ask(name, options).then((owners) => owners.filter(({ server }) => servers.includes(server)))
        : Promise.all(servers.map(async (server) => ({ server, known: await server.tools(options) })));
    const found = await untilAborted(answers, signal).catch((error: unknown) => {
      throw signal?.aborted ? cancelled(signal) : error;
    });
    const failedServers = found.flatMap(({ server, known: { failure } }) =>
      failure ? [server.describe(failure)] : [],
    );
    const parts = found.map(({ known }) => known);
    let tools = servers.length === all.length ? this.#lists.whole(parts) : this.#lists.merge(parts);
    if (name !== undefined) tools = tools.filter((tool) => tool.name === name);
    if (offset > 0 || limit < tools.length) tools = tools.slice(offset, offset + Math.max(0, limit));
    return { tools, failedServers };
  }

  async #callTool(name: ToolName, args: JsonObject, options: CallOptions): Promise<ToolResult> {
    const { signal } = options;
    if (signal?.aborted) throw cancelled(signal);
    this.#assertOpen();
    try {
      const first = await untilAborted(this.#find(name, options), signal);
      const refusal = first.server.refusal(name);
      if (refusal) throw refusal;
      const endTurn = await this.#turn(first, options);
      try {
        options.onStart?.();
        // The servers may have been updated during the wait.
        const { server, ownName, schema } = first.server.isRetired ? await this.#find(name, options) : first;
        return await server.call(schema, ownName, args, options);
      } finally {
        endTurn();
      }
    } catch (error) {
      // The queue rejects with whatever the caller gave as the reason.
      if (signal?.aborted) throw cancelled(signal);
      throw CodeExecutorError.from(error);
    }
  }

  /** The turn of a call. One that has to wait for its server to be started holds no place that others could have. */
  async #turn({ server, schema }: FoundTool, options: CallOptions): Promise<() => void> {
    const { signal } = options;
    for (;;) {
      if (server.isPaused) await untilAborted(server.paced(), signal);
      await untilAborted(server.settled(), signal);
      const endTurn = await this.#queue.turn(schema, options);
      if (!server.isPaused) return endTurn;
      endTurn();
    }
  }

  async #counted<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  #createServer(name: string, server: ServerConfig): UpstreamServer {
    const { baseEnv, cache, logger = silentLogger } = this.#options;
    const { callTimeoutMs = 60_000, discoveryTimeoutMs = 500 } = this.#options;
    const { connectTimeoutMs = this.#options.connectTimeoutMs ?? 120_000 } = server;
    const { failureThreshold = 5, resetTimeoutMs = 30_000 } = this.#options;
    const limits = { callTimeoutMs, connectTimeoutMs, discoveryTimeoutMs, failureThreshold, resetTimeoutMs };
    const env = { ...baseEnv, ...('command' in server ? server.env : undefined) };
    const onCircuitChange = (action: CircuitAction, by?: CallOptions) =>
      this.#record({
        type: 'circuit',
        action,
        server: name,
        status: circuitStatus[action],
        ...marksOf(by),
      });
    return new UpstreamServer({ ...limits, cache, logger, onCircuitChange, name, server, env });
  }

  /** The tool, of the server with the longest name that has it; rejects where that is not the one that is meant. */
  async #find(name: string, by: CallOptions): Promise<FoundTool> {
    const tool = name.slice(0, maxShownNameChars);
    for (const { server, ownName, known } of await this.#ask(name)) {
      const { tools, failure } = known;
      // Whoever has the tool, it is not for a server with a shorter name to answer in its place.
      if (!tools) throw server.failedCall(tool, failure, by);
      const schema = tools.get(ownName);
      if (!schema || !(server instanceof UpstreamServer)) continue;
      if (by.server !== undefined && server.name !== by.server) throw ofAnother(tool, by.server, server.name);
      return { server, ownName, schema };
    }
    const message = `Tool ${tool} does not exist; list the tools to see their names.`;
    throw new CodeExecutorError('not_found', message, { tool });
  }

  /**
   * What all servers that may own the tool have, the longest name first, once they are ready. Where none is known to
   * have it, what they have now: lists may be of yesterday.
   */
  async #ask(name: string, options: ListOptions = {}): Promise<Owner[]> {
    const owners = possibleOwners(name, this.#all);
    const ask = (of: (server: UpstreamServer | UnusableServer) => Promise<KnownTools | UnknownTools>) =>
      Promise.all(owners.map(async (owner) => ({ ...owner, known: await of(owner.server) })));
    const known = await ask((server) => server.tools({ ...options, untilReady: true }));
    const isKnown = known.some(({ ownName, known: { tools } }) => tools?.has(ownName));
    return isKnown ? known : ask((server) => server.toolsOfNow());
  }

  #record(event: CallerEvent): void {
    const { audit, logger = silentLogger } = this.#options;
    // A broken record breaks no call.
    const onError = (error: unknown) => logger.error({ err: error }, 'audit sink failed');
    try {
      void Promise.resolve(audit?.(event)).catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  #assertOpen(): void {
    if (!this.#closing) return;
    throw new CodeExecutorError('failed_precondition', 'The client pool is closed; create a new one.');
  }
}

function ofAnother(tool: string, meant: string, server: string): CodeExecutorError {
  const message = `Tool ${tool} was one of server ${meant}, and is one of ${server} since the configuration changed; run the program again.`;
  return new CodeExecutorError('failed_precondition', message, { tool, server });
}

function toUnusable(servers: readonly FailedServer[] = []): UnusableServer[] {
  return servers.map((server) => new UnusableServer(server));
}

/** When it is, and whose call, as records say it. */
function marksOf({ executionId, caller, traceparent }: CallOptions = {}): EventMarks {
  const trace = parseTraceparent(traceparent);
  return {
    timestamp: new Date().toISOString(),
    ...(executionId !== undefined && { executionId }),
    ...(caller && { clientId: caller.id, clientKind: caller.kind }),
    ...(trace && { correlationId: trace.traceId }),
  };
}
