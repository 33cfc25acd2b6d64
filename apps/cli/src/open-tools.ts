import type { ToolSource } from '@code-executor/contracts';

import { loadServers } from './load-servers.js';
import { openHost } from './open-host.js';
import type { Terminal } from './terminal.js';

export interface OpenedTools {
  /** The tools of the configured servers, which are started when they are first asked. */
  tools: ToolSource;
  /** The names of these servers, and of the configured ones that cannot be used. */
  servers: readonly string[];
  homeDir?: string;
  close(): Promise<void>;
}

/** The tools that a server with this configuration has, from the same cache; waits for the servers' current answers. */
export async function openTools(options: { config?: string }, terminal: Terminal): Promise<OpenedTools> {
  const { loaded, found } = await loadServers(options, terminal);
  const { config, homeDir } = loaded;
  const { servers, unusable } = found;
  // A server may take as long as it may when nothing is cached for it.
  const { connectTimeoutMs = 120_000 } = config.pool ?? {};
  const host = await openHost(
    {
      ...loaded,
      config: { ...config, discovery: { timeoutMs: connectTimeoutMs } },
    },
    { servers, unusable },
  );
  return {
    tools: host.tools,
    servers: [...Object.keys(servers), ...unusable.map(({ server }) => server)],
    ...(homeDir !== undefined && { homeDir }),
    close: () => host.close(),
  };
}
