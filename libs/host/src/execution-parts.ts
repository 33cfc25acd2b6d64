import { baseEnvironment, enabledLanguages } from '@code-executor/config';
import type { CallHook, Logger } from '@code-executor/contracts';
import { createExecutor, type Executor, type Executions } from '@code-executor/executor';
import { createGuardedFetch } from '@code-executor/guarded-fetch';
import { createPolicyHook } from '@code-executor/policy-hook';

import type { LastingParts } from './lasting-parts.js';
import { languages } from './languages.js';
import { executorOptions, hookOptions } from './options.js';
import type { HostSettings } from './settings.js';

/** The parts that run programs, made from one version of the settings. */
export interface ExecutionParts {
  executor: Executor;
  /** Decides about each tool call; absent if nothing is configured. */
  hook: CallHook | undefined;
  lasting: LastingParts;
  /**
   * Refuses later executions, and lets those and the tool calls under way go on for `drainMs`. Then it ends them and, if
   * nothing else uses them, the lasting parts. Resolves when their processes are gone. A second call with a shorter time
   * shortens the first one.
   */
  close(drainMs: number): Promise<void>;
}

/** Puts the parts together. Opens no process and no port, and no file except those that `grants` names. */
export function openExecutionParts(
  settings: HostSettings,
  lasting: LastingParts,
  executions: Executions,
  logger: Logger,
): ExecutionParts {
  const { audit, admit } = lasting.record;
  const fetcher = createGuardedFetch();
  const hookWith = hookOptions(settings);
  const hook = hookWith && createPolicyHook({ ...hookWith, env: baseEnvironment(), logger });
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
    ...(hook && { hook }),
    logger,
  });
  const leave = lasting.enter();
  return {
    executor,
    hook,
    lasting,
    async close(drainMs) {
      const warn = (error: unknown) => logger.error({ err: error }, 'Closing failed.');
      const endsAt = performance.now() + drainMs;
      // Programs must end before the parts that serve their calls.
      await executor.close({ drainMs }).catch(warn);
      await fetcher.close().catch(warn);
      await leave(Math.max(0, endsAt - performance.now()));
    },
  };
}
