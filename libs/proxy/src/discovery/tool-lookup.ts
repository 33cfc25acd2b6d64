import {
  type FailedServer,
  type ListOptions,
  type ToolListing,
  type ToolName,
  type ToolSchema,
  type ToolSource,
  untilAborted,
} from '@code-executor/contracts';

import { serverOf } from '../names/tool-names.js';

/**
 * Looks up tools for one execution and remembers them. Each listing asks the source, so that an execution sees what
 * changes. A tool that it calls is looked up once, by its name, so that one call does not start every server.
 */
export class ToolLookup {
  readonly #source: ToolSource;
  readonly #signal: AbortSignal | undefined;
  readonly #found = new Map<string, ToolSchema>();
  /** The servers that could not be listed the last time they were asked. */
  #failed = new Map<string, FailedServer>();
  readonly #servers = new Set<string>();
  /** Listings that are under way; calls with the same options share one. */
  readonly #asked = new Map<string, Promise<ToolListing>>();
  readonly #refreshed = new Set<string>();
  /** The servers whose tools are all known. */
  readonly #listed = new Set<string>();
  #whole: readonly ToolSchema[] | undefined;

  /** The signal is the execution's: a caller that stops waiting does not end a listing that others share. */
  constructor(source: ToolSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  /** The servers that could not be listed, each once. */
  get failedServers(): FailedServer[] {
    return [...this.#failed.values()];
  }

  /** The servers that are known so far, failed ones too. */
  get servers(): ReadonlySet<string> {
    return this.#servers;
  }

  /** All tools. */
  async list(signal?: AbortSignal): Promise<ToolListing> {
    const listing = await untilAborted(this.#ask({}), signal);
    this.#failed = new Map(listing.failedServers.map((failure) => [failure.server, failure]));
    // The same array has the same tools.
    if (listing.tools !== this.#whole) this.#remember(listing);
    for (const { server } of listing.tools) this.#listed.add(server);
    this.#whole = listing.tools;
    return listing;
  }

  /** The tools of one server; no other is asked. */
  async listServer(server: string, untilReady: boolean, signal?: AbortSignal): Promise<ToolListing> {
    const listing = await this.#listSome({ server }, signal);
    if (listing.tools.length > 0) this.#listed.add(server);
    return untilReady && listing.failedServers.length > 0
      ? this.#listSome({ server, untilReady }, signal)
      : listing;
  }

  /**
   * The tool as its server has it now, because a cached list may be out of date. Each server is asked once at most;
   * undefined if it has been asked before, or does not have the tool.
   */
  async refresh({ name, server }: ToolSchema, signal?: AbortSignal): Promise<ToolSchema | undefined> {
    if (this.#refreshed.has(server)) return undefined;
    this.#refreshed.add(server);
    const { tools } = await untilAborted(this.#ask({ name, refresh: true }), signal);
    const tool = tools.find((each) => each.name === name);
    if (tool) this.#found.set(name, tool);
    return tool;
  }

  /**
   * One tool; undefined if there is none of that name, or its server failed (see {@link failureOf}). `untilReady` waits
   * for a server that is starting; otherwise it counts as one that cannot be listed.
   */
  async find(name: string, untilReady: boolean, signal?: AbortSignal): Promise<ToolSchema | undefined> {
    if (!this.#found.has(name)) await this.#listSome({ name }, signal);
    if (untilReady && !this.#found.has(name)) await this.#listSome({ name, untilReady }, signal);
    return this.#found.get(name);
  }

  /** Whether it is already known that there is no tool of that name. */
  lacks(name: ToolName): boolean {
    if (typeof name !== 'string' || this.#found.has(name)) return false;
    const server = serverOf(name, this.#servers);
    if (server !== undefined) return this.#listed.has(server) && !this.#failed.has(server);
    return this.#whole !== undefined && ![...this.#failed.values()].some(({ isStarting }) => isStarting);
  }

  /** Why the server of that tool could not be listed; undefined if it is not known to have failed. */
  failureOf(name: string): FailedServer | undefined {
    const server = serverOf(name, this.#servers);
    return server === undefined ? undefined : this.#failed.get(server);
  }

  /** Lists some servers; what is known about others stays. */
  async #listSome(options: ListOptions, signal: AbortSignal | undefined): Promise<ToolListing> {
    const listing = await untilAborted(this.#ask(options), signal);
    for (const { server } of listing.tools) this.#failed.delete(server);
    for (const failure of listing.failedServers) this.#failed.set(failure.server, failure);
    const { name } = options;
    const tools = listing.tools.filter((tool) => name === undefined || tool.name === name);
    this.#remember({ ...listing, tools });
    return listing;
  }

  #ask(options: ListOptions): Promise<ToolListing> {
    const key = JSON.stringify(options);
    let asked = this.#asked.get(key);
    if (!asked) {
      const signal = this.#signal;
      asked = this.#source.listTools({ ...options, ...(signal && { signal }) });
      this.#asked.set(key, asked);
      const forget = () => this.#asked.delete(key);
      asked.then(forget, forget);
    }
    return asked;
  }

  #remember({ tools, failedServers }: ToolListing): void {
    for (const { server } of [...tools, ...failedServers]) this.#servers.add(server);
    for (const tool of tools) this.#found.set(tool.name, tool);
  }
}
