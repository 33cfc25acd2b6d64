import { ClientPool } from '@code-executor/client-pool';
import { baseEnvironment, findServers, loadConfig } from '@code-executor/config';

import { openSchemaCache } from './open-schema-cache.js';
import type { Terminal } from './terminal.js';

export interface OpenedTools {
  /** Of the configured servers, which are started when they are asked. */
  pool: ClientPool;
  /** The names of these servers, and of those that cannot be used. */
  servers: readonly string[];
  homeDir?: string;
  close(): Promise<void>;
}

/** The tools as a server with this configuration has them, from the same cache; waits for what a server says now. */
export async function openTools(
  { config: file }: { config?: string },
  terminal: Terminal,
): Promise<OpenedTools> {
  const loaded = await loadConfig(file === undefined ? {} : { file });
  const { config, homeDir, warnings, notTrusted } = loaded;
  const found = await findServers({ config, unusable: loaded.unusable, notTrusted });
  const { servers, unusable, warnings: serverWarnings } = found;
  for (const warning of [...warnings, ...serverWarnings]) terminal.note(warning);
  const cache = openSchemaCache(loaded);
  // A server has as long as when nothing is known of it.
  const { connectTimeoutMs = 120_000 } = config.pool ?? {};
  const pool = new ClientPool({
    ...config.pool,
    servers,
    unusable,
    baseEnv: baseEnvironment(),
    cache,
    discoveryTimeoutMs: connectTimeoutMs,
  });
  return {
    pool,
    servers: [...Object.keys(servers), ...unusable.map(({ server }) => server)],
    ...(homeDir !== undefined && { homeDir }),
    async close() {
      await pool.close();
      await cache.close();
    },
  };
}
