import { ClientPool } from '@code-executor/client-pool';
import { baseEnvironment, type Config, type FoundServers } from '@code-executor/config';
import type { Logger } from '@code-executor/contracts';
import { createExecutor, type Executor } from '@code-executor/executor';
import { createGuardedFetch } from '@code-executor/guarded-fetch';
import { DenoSandbox } from '@code-executor/sandbox-deno';

import { isTypescriptEnabled } from './typescript-enabled.js';

export interface Setup extends FoundServers {
  config: Config;
  version: string;
  logger: Logger;
}

/** Everything behind the tools. */
export interface Services {
  executor: Executor;
  pool: ClientPool;
  /** Ends every execution and every upstream server; resolves when their processes are gone. */
  close(): Promise<void>;
}

/**
 * Puts the parts together. Nothing here opens a process, a port or a file. Loaded when a tool is first
 * called: clients start servers just to look.
 */
export function compose({ config, servers, logger }: Setup): Services {
  const { security, sandbox, policy, executors: { typescript } = {} } = config;
  const { typescript: count, ...spareLimits } = sandbox?.spares ?? {};
  const spares = { ...spareLimits, ...(count !== undefined && { count }) };
  const pool = new ClientPool({ ...config.pool, servers, baseEnv: baseEnvironment(), logger });
  const fetcher = createGuardedFetch();
  const executor = createExecutor({
    tools: pool,
    sandboxes: isTypescriptEnabled(config) ? [new DenoSandbox({ ...sandbox, ...typescript, spares })] : [],
    fetcher,
    ...(policy && { policy }),
    ...(policy?.budget && { budget: policy.budget }),
    ...(security && { limits: security, grants: security }),
    ...(sandbox && { queue: sandbox }),
    logger,
  });
  return {
    executor,
    pool,
    async close() {
      // Programs end before what serves their calls; what fails to close keeps nothing else open.
      for (const part of [executor, pool, fetcher]) {
        await part.close().catch((error: unknown) => logger.error({ err: error }, 'Closing failed.'));
      }
    },
  };
}
