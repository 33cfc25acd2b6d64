import { join, resolve } from 'node:path';

import type { Config } from '@code-executor/config';
import type { Language, Sandbox } from '@code-executor/contracts';
import { createExecutor, type Executor } from '@code-executor/executor';
import { createGuardedFetch } from '@code-executor/guarded-fetch';
import { DenoSandbox } from '@code-executor/sandbox-deno';
import { PyodideSandbox } from '@code-executor/sandbox-pyodide';

import { enabledLanguages } from './enabled-languages.js';
import { LastingServices } from './lasting-services.js';
import type { Setup } from './setup.js';

/** Everything behind the tools. */
export interface Services {
  executor: Executor;
  lasting: LastingServices;
  /**
   * Takes no more executions, lets those and the tool calls under way go on for `drainMs` (default 0), ends them and,
   * where nobody else uses them, every upstream server; resolves when their processes are gone. A second call with a
   * shorter time cuts the first one short.
   */
  close(drainMs?: number): Promise<void>;
}

/**
 * Puts the parts together. Nothing here opens a process, a port or a file. Loaded when a tool is first
 * called: clients start servers just to look.
 */
export function compose(setup: Setup, lasting = new LastingServices(setup)): Services {
  const { config, homeDir, withheld = [], logger } = setup;
  const { security, sandbox, policy } = config;
  const { pool, audit, admit } = lasting;
  const fetcher = createGuardedFetch();
  const executor = createExecutor({
    tools: pool,
    sandboxes: enabledLanguages(config).map((language) => createSandbox(language, config, homeDir)),
    fetcher,
    audit,
    ...(admit && { admit }),
    ...(policy && { policy }),
    ...(policy?.budget && { budget: policy.budget }),
    ...(security && { limits: security, grants: { ...security, withheld } }),
    ...(sandbox && { queue: sandbox }),
    logger,
  });
  const leave = lasting.enter();
  return {
    executor,
    lasting,
    async close(drainMs = 0) {
      const warn = (error: unknown) => logger.error({ err: error }, 'Closing failed.');
      const endsAt = performance.now() + drainMs;
      // Programs end before what serves their calls.
      await executor.close({ drainMs }).catch(warn);
      await fetcher.close().catch(warn);
      await leave(Math.max(0, endsAt - performance.now()));
    },
  };
}

function createSandbox(language: Language, { sandbox, executors }: Config, homeDir?: string): Sandbox {
  const { typescript, python, ...spareLimits } = sandbox?.spares ?? {};
  const spares = (count: number | undefined) => ({ ...spareLimits, ...(count !== undefined && { count }) });
  if (language === 'typescript') {
    return new DenoSandbox({ ...sandbox, ...executors?.typescript, spares: spares(typescript) });
  }
  const snapshotDir = homeDir && join(homeDir, 'python');
  const { memoryMb, packagesDir = snapshotDir && join(snapshotDir, 'packages') } = executors?.python ?? {};
  const denoPath = executors?.typescript?.denoPath;
  return new PyodideSandbox({
    ...sandbox,
    spares: spares(python),
    ...(denoPath !== undefined && { denoPath }),
    ...(memoryMb !== undefined && { memoryMb }),
    ...(snapshotDir !== undefined && { snapshotDir }),
    ...(packagesDir !== undefined && { packagesDir: resolve(packagesDir) }),
  });
}
