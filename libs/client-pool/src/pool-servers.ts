import type { FailedServer } from '@code-executor/contracts';

import type { ClientPoolOptions, ServerStats, UpstreamServer as ServerConfig } from './options.js';
import { UnusableServer } from './unusable-server.js';
import type { UpstreamServer } from './upstream-server.js';

/** The servers of a pool as they are configured now, and those that were removed and finish their calls. */
export class PoolServers {
  readonly #create: (name: string, server: ServerConfig) => UpstreamServer;
  #configured: ClientPoolOptions['servers'] = {};
  #servers: readonly UpstreamServer[] = [];
  #unusable: readonly UnusableServer[] = [];
  /** They take no more calls. */
  readonly #retiring = new Set<UpstreamServer>();

  constructor(create: (name: string, server: ServerConfig) => UpstreamServer) {
    this.#create = create;
  }

  /** The names of those that can be used, in the order of the configuration. */
  get names(): string[] {
    return Object.keys(this.#configured);
  }

  /** How the server of this name is configured, if it can be used. */
  configuration(name: string): ServerConfig | undefined {
    return Object.hasOwn(this.#configured, name) ? this.#configured[name] : undefined;
  }

  /** Those that can be used, then those that cannot. */
  get all(): readonly (UpstreamServer | UnusableServer)[] {
    return [...this.#servers, ...this.#unusable];
  }

  get stats(): ServerStats[] {
    return this.all.map((server) => server.stats);
  }

  /** Keeps the servers that are configured as before; the others finish their calls, for `drainMs` at most. */
  update(configured: ClientPoolOptions['servers'], unusable: readonly FailedServer[], drainMs: number): void {
    this.#unusable = unusable.map((server) => new UnusableServer(server));
    const before = new Map(this.#servers.map((server) => [server.name, server]));
    this.#servers = Object.entries(configured).map(([name, server]) => {
      const known = before.get(name);
      const isSame = JSON.stringify(server) === JSON.stringify(this.#configured[name]);
      if (known && isSame) before.delete(name);
      return known && isSame ? known : this.#create(name, server);
    });
    this.#configured = configured;
    for (const server of before.values()) {
      this.#retiring.add(server);
      void server.retire(drainMs).finally(() => this.#retiring.delete(server));
    }
  }

  /** Ends all connections and child processes. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers, ...this.#retiring].map((server) => server.close()));
  }
}
