import { join } from 'node:path';

import { ClientPool } from '@code-executor/client-pool';
import { baseEnvironment, findServers, loadConfig } from '@code-executor/config';
import { SchemaCache } from '@code-executor/schema-cache';

import type { Terminal } from './terminal.js';

export interface OpenedTools {
  /** Of the configured servers, which are started when they are asked. */
  pool: ClientPool;
  homeDir?: string;
  close(): Promise<void>;
}

/** The tools as a server with this configuration has them, from the same cache; waits for what a server says now. */
export async function openTools(
  { config: file }: { config?: string },
  terminal: Terminal,
): Promise<OpenedTools> {
  const { config, homeDir, warnings } = await loadConfig(file === undefined ? {} : { file });
  const { servers, warnings: serverWarnings } = await findServers({ config });
  for (const warning of [...warnings, ...serverWarnings]) terminal.note(warning);
  const cache = new SchemaCache<unknown>({
    ...(homeDir !== undefined && { file: join(homeDir, 'schema-cache.json') }),
    ...config.schemaCache,
  });
  // A server has as long as when nothing is known of it.
  const { connectTimeoutMs = 10_000 } = config.pool ?? {};
  const pool = new ClientPool({
    ...config.pool,
    servers,
    baseEnv: baseEnvironment(),
    cache,
    discoveryTimeoutMs: connectTimeoutMs,
  });
  return {
    pool,
    ...(homeDir !== undefined && { homeDir }),
    async close() {
      await pool.close();
      await cache.close();
    },
  };
}
