import { ClientPool } from '@code-executor/client-pool';
import { baseEnvironment, type Config, type FoundServers } from '@code-executor/config';
import type { Logger } from '@code-executor/contracts';
import { createExecutor } from '@code-executor/executor';
import { createGuardedFetch } from '@code-executor/guarded-fetch';
import { DenoSandbox } from '@code-executor/sandbox-deno';

import { instructionsFor } from './instructions.js';
import type { ServerOptions } from './server.js';
import { executeTypescriptTool } from './toolsets/core/execute-typescript.js';
import { healthTool } from './toolsets/core/health.js';

export interface Setup extends FoundServers {
  config: Config;
  version: string;
  logger: Logger;
}

export interface Services {
  server: ServerOptions;
  /** Ends every execution and every upstream server; resolves when their processes are gone. */
  close(): Promise<void>;
}

/** Puts the parts together. Nothing here opens a process, a port or a file: clients start servers just to look. */
export function compose({ config, servers, warnings, version, logger }: Setup): Services {
  const { security, sandbox, policy, executors: { typescript } = {} } = config;
  const isEnabled = typescript?.enabled ?? true;
  const { typescript: count, ...spareLimits } = sandbox?.spares ?? {};
  const spares = { ...spareLimits, ...(count !== undefined && { count }) };
  const pool = new ClientPool({ ...config.pool, servers, baseEnv: baseEnvironment(), logger });
  const fetcher = createGuardedFetch();
  const executor = createExecutor({
    tools: pool,
    sandboxes: isEnabled ? [new DenoSandbox({ ...sandbox, ...typescript, spares })] : [],
    fetcher,
    ...(policy && { policy }),
    ...(policy?.budget && { budget: policy.budget }),
    ...(security && { limits: security, grants: security }),
    ...(sandbox && { queue: sandbox }),
    logger,
  });
  return {
    server: {
      version,
      instructions: instructionsFor(Object.keys(servers)),
      tools: [
        ...(isEnabled ? [executeTypescriptTool(executor, security)] : []),
        healthTool({ version, executor, pool, warnings }),
      ],
      logger,
    },
    async close() {
      // Programs end before what serves their calls; what fails to close keeps nothing else open.
      for (const part of [executor, pool, fetcher]) {
        await part.close().catch((error: unknown) => logger.error({ err: error }, 'Closing failed.'));
      }
    },
  };
}
