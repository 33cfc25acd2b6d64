import { enabledLanguages } from '@code-executor/config';
import type { Logger } from '@code-executor/contracts';
import { createExecutor, type Executor, type Executions } from '@code-executor/executor';
import { createGuardedFetch } from '@code-executor/guarded-fetch';

import type { LastingParts } from './lasting-parts.js';
import { languages } from './languages.js';
import { executorOptions } from './options.js';
import type { HostSettings } from './settings.js';

/** What runs programs, under the settings of one moment. */
export interface ExecutionParts {
  executor: Executor;
  lasting: LastingParts;
  /**
   * Takes no more executions, lets those and the tool calls under way go on for `drainMs`, ends them and, where nobody
   * else uses them, the lasting parts; resolves when their processes are gone. A second call with a shorter time cuts
   * the first one short.
   */
  close(drainMs: number): Promise<void>;
}

/** Puts the parts together. Nothing here opens a process, a port or a file but what `grants` names. */
export function openExecutionParts(
  settings: HostSettings,
  lasting: LastingParts,
  executions: Executions,
  logger: Logger,
): ExecutionParts {
  const { audit, admit } = lasting.record;
  const fetcher = createGuardedFetch();
  const executor = createExecutor({
    ...executorOptions(settings),
    tools: lasting.tools,
    languages: enabledLanguages(settings.config).map((name) => ({
      ...languages[name],
      sandbox: languages[name].createSandbox(settings),
    })),
    executions,
    fetcher,
    audit,
    ...(admit && { admit }),
    logger,
  });
  const leave = lasting.enter();
  return {
    executor,
    lasting,
    async close(drainMs) {
      const warn = (error: unknown) => logger.error({ err: error }, 'Closing failed.');
      const endsAt = performance.now() + drainMs;
      // Programs end before what serves their calls.
      await executor.close({ drainMs }).catch(warn);
      await fetcher.close().catch(warn);
      await leave(Math.max(0, endsAt - performance.now()));
    },
  };
}
