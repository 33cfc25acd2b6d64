import {
  type FailedServer,
  type ToolListing,
  type ToolName,
  type ToolSchema,
  type ToolSource,
  untilAborted,
} from '@code-executor/contracts';

import { serverOf } from './server-of.js';

/**
 * What one execution knows about the tools. The full listing is fetched once; until then a single tool is
 * asked for by its name, so that one call does not wake every server. A server that failed is not asked,
 * and so not waited for, again.
 */
export class Catalogue {
  readonly #source: ToolSource;
  readonly #signal: AbortSignal | undefined;
  readonly #found = new Map<string, ToolSchema>();
  readonly #failed = new Map<string, FailedServer>();
  readonly #servers = new Set<string>();
  readonly #lookups = new Map<string, Promise<void>>();
  /** Listings of single servers, of those that there are. */
  readonly #serverListings = new Map<string, Promise<ToolListing>>();
  readonly #refreshed = new Set<string>();
  #listing: ToolListing | undefined;
  #loading: Promise<ToolListing> | undefined;

  /** The signal is the execution's: a caller that stops waiting does not end a listing that others share. */
  constructor(source: ToolSource, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#signal = signal;
  }

  /** The servers that could not be listed, each once. */
  get failedServers(): FailedServer[] {
    return [...this.#failed.values()];
  }

  /** The servers heard of so far, failed ones too. */
  get servers(): ReadonlySet<string> {
    return this.#servers;
  }

  /** Everything there is. */
  async list(signal?: AbortSignal): Promise<ToolListing> {
    if (this.#listing) return this.#listing;
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return untilAborted(this.#loading, signal);
  }

  /** The tools of one server, and where everything is known already, everything: no other server is asked for this. */
  async listServer(server: string, signal?: AbortSignal): Promise<ToolListing> {
    if (this.#listing || this.#loading) return this.list(signal);
    let loading = this.#serverListings.get(server);
    if (!loading) {
      loading = this.#loadServer(server);
      this.#serverListings.set(server, loading);
    }
    return untilAborted(loading, signal);
  }

  /**
   * The tool as its server has it now, which is asked once at most; undefined if there is nothing new. What is
   * known may be of yesterday.
   */
  async refresh({ name, server }: ToolSchema, signal?: AbortSignal): Promise<ToolSchema | undefined> {
    if (this.#refreshed.has(server)) return undefined;
    this.#refreshed.add(server);
    const asked = this.#source.listTools({ ...this.#options(), name, refresh: true });
    const { tools } = await untilAborted(asked, signal);
    const tool = tools.find((each) => each.name === name);
    if (tool) this.#found.set(name, tool);
    return tool;
  }

  /** One tool; undefined if there is none of that name, or its server failed (see {@link failureOf}). */
  async find(name: string, signal?: AbortSignal): Promise<ToolSchema | undefined> {
    if (!this.#found.has(name) && !this.#listing && !this.failureOf(name)) {
      let lookup = this.#lookups.get(name);
      if (!lookup) {
        lookup = this.#lookUp(name).finally(() => this.#lookups.delete(name));
        this.#lookups.set(name, lookup);
      }
      await untilAborted(lookup, signal);
    }
    return this.#found.get(name);
  }

  /** Why the server of that name could not be listed; undefined if nothing is known against it. */
  failureOf(name: string): FailedServer | undefined {
    const server = serverOf(name, this.#servers);
    return server === undefined ? undefined : this.#failed.get(server);
  }

  async #load(): Promise<ToolListing> {
    const listing = await this.#source.listTools(this.#options());
    this.#remember(listing);
    this.#listing = listing;
    return listing;
  }

  async #loadServer(server: string): Promise<ToolListing> {
    const listing = await this.#source.listTools({ ...this.#options(), server });
    this.#remember(listing);
    // Programs may ask for any number of servers that there are not.
    if (listing.tools.length + listing.failedServers.length === 0) this.#serverListings.delete(server);
    return listing;
  }

  async #lookUp(name: string): Promise<void> {
    const listing = await this.#source.listTools({ ...this.#options(), name });
    this.#remember({ ...listing, tools: listing.tools.filter((tool) => tool.name === name) });
  }

  #remember({ tools, failedServers }: ToolListing): void {
    for (const { server } of [...tools, ...failedServers]) this.#servers.add(server);
    for (const tool of tools) if (!this.#found.has(tool.name)) this.#found.set(tool.name, tool);
    for (const failure of failedServers) {
      if (!this.#failed.has(failure.server)) this.#failed.set(failure.server, failure);
    }
  }

  #options(): { signal?: AbortSignal } {
    return this.#signal ? { signal: this.#signal } : {};
  }
}

/** The tool's own name, without `mcp__<server>__`. */
export function ownName(tool: { name: ToolName; server: string }): string {
  const prefix = `mcp__${tool.server}__`;
  return tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name;
}
