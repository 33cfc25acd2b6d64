import type { ListOptions, Logger, ToolSchema } from '@code-executor/contracts';

import type { ConnectFailure, StillStarting } from '../connection/connect-failure.js';
import { explainStart } from '../connection/explain-start.js';
import type { ProtocolVerdict } from '../connection/protocol-verdict.js';
import type { UpstreamConnection } from '../connection/upstream-connection.js';
import type { UpstreamServer as ServerConfig } from '../options.js';
import type { ServerAccess } from '../server-access.js';
import { ToolCatalog } from './tool-catalog.js';
import { SessionCache, type ToolListCache } from './tool-list-cache.js';
import type { ListedTools } from './tool-listing.js';

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

export interface ServerToolsOptions {
  name: string;
  server: ServerConfig;
  connectTimeoutMs: number;
  discoveryTimeoutMs: number;
  /** Without one, the tools are known as long as the connection. */
  cache: ToolListCache | undefined;
  /** Called with the tools each time the server has listed them. */
  onListed?: ((tools: readonly ToolSchema[]) => void) | undefined;
  logger: Logger;
}

/** The tools of one server, and why calling them would fail now. */
export class ServerTools {
  readonly #options: ServerToolsOptions;
  readonly #access: ServerAccess;
  readonly #sessionCache = new SessionCache();
  readonly #catalog: ToolCatalog;
  /** The connection over which the tools were last listed, or are being listed. */
  #listedOver: UpstreamConnection | undefined;
  /** The tools with the failure in each: the same map as long as both are the same. */
  #marked: (KnownTools & { of: ReadonlyMap<string, ToolSchema> }) | undefined;

  constructor(options: ServerToolsOptions, access: ServerAccess) {
    this.#options = options;
    this.#access = access;
    const { cache = this.#sessionCache } = options;
    this.#catalog = new ToolCatalog({ ...options, cache, list: () => this.#list() });
  }

  /** Number of tools; undefined if they are not known. */
  get size(): number | undefined {
    return this.#catalog.size;
  }

  /** Why the server cannot be used yet, for how long it has been starting. */
  get slowStart(): StillStarting {
    const { name, server, connectTimeoutMs } = this.#options;
    return explainStart({ name, server, connectTimeoutMs, startingForMs: this.#catalog.askedForMs ?? 0 });
  }

  /**
   * The tools, and why calling them would fail; never rejects. Connects nothing if the cache has them; `refresh` reads
   * them again. Waits for the server for `discoveryTimeoutMs`, or `untilReady`.
   */
  async known({ refresh = false, untilReady = false }: ListOptions = {}): Promise<KnownTools | UnknownTools> {
    const { connector } = this.#access;
    try {
      if (refresh) await this.#catalog.refresh();
      const isRetryDue = connector.failure !== undefined && this.#access.coolDownLeftMs <= 0;
      const tools = await this.#catalog.current({ isRetryDue, untilReady });
      if (!tools) return { tools, failure: this.slowStart };
      const failure = this.#access.problem;
      return failure ? this.#mark(tools, failure) : { tools };
    } catch (error) {
      return { tools: undefined, failure: connector.toFailure(error) };
    }
  }

  /** The same as the server has it now, for a tool that is not in the known list. */
  async now(): Promise<KnownTools | UnknownTools> {
    const { connector } = this.#access;
    const { living } = connector;
    const isListed = living !== undefined && living === this.#listedOver;
    if (isListed && this.#catalog.askedForMs === undefined) return this.known({ untilReady: true });
    try {
      await this.#access.connected();
    } catch (error) {
      return { tools: undefined, failure: connector.toFailure(error) };
    }
    await this.#catalog.listAgain();
    return this.known({ untilReady: true });
  }

  /** A call uses this connection: if the list is older, it is read again in the background. */
  usedOver(connection: UpstreamConnection): void {
    if (connection !== this.#listedOver) void this.#catalog.refresh();
  }

  /** The protocol that the server is known to speak. */
  get protocol(): ProtocolVerdict | undefined {
    return this.#catalog.protocol;
  }

  /** The server speaks another protocol now. */
  forgetProtocol(): void {
    this.#catalog.forgetProtocol();
  }

  /**
   * The tool as the server lists it over this connection, which it is asked for once, because it may be another program
   * since; undefined if it does not.
   */
  async over(connection: UpstreamConnection, ownName: string): Promise<ToolSchema | undefined> {
    if (connection !== this.#listedOver || this.#catalog.askedForMs !== undefined) {
      await this.#catalog.listAgain();
    }
    return this.#catalog.tool(ownName);
  }

  /** The server says that its tools changed. */
  markChanged(): void {
    this.#catalog.markChanged();
  }

  /** The connection is gone. */
  forgetSession(): void {
    this.#sessionCache.forget();
  }

  /** Asks the server itself. A new connection over which it cannot be listed is given up. */
  async #list(): Promise<ListedTools> {
    const { connector } = this.#access;
    if (connector.isPaused) await connector.pauseEnded();
    const isNew = !connector.isConnected;
    return connector.withinStartLimit(async (signal) => {
      const connection = await this.#access.connected();
      this.#listedOver = connection;
      try {
        const listed = await connection.listTools(signal);
        connector.succeeded();
        const { name, logger } = this.#options;
        if (isNew) logger.info({ server: name, tools: listed.tools.size }, 'upstream server connected');
        return listed;
      } catch (error) {
        if (connector.isClosed || !isNew) throw error;
        throw connector.giveUp(connection, error);
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
}
