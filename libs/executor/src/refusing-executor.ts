import { type CodeExecutorError, embedder } from '@code-executor/contracts';

import { LiveExecution } from './execution.js';
import { newExecutionId } from './execution-id.js';
import { reportFault } from './execution-report.js';
import type { Executor } from './executor.js';
import { typescript } from './languages/typescript.js';

/** Runs nothing: each report says why. For a server that cannot start. */
export function refusingExecutor(reason: CodeExecutorError): Executor {
  const refuse = (caller = embedder, language = typescript.name) =>
    new LiveExecution({ id: newExecutionId(), language, caller }, undefined, ({ id }) =>
      Promise.resolve(reportFault(id, reason, undefined)),
    );
  return {
    start: (_request, { caller, language } = {}) => refuse(caller, language),
    execute: (_request, { caller, language } = {}) => refuse(caller, language).result,
    get: () => undefined,
    list: () => [],
    cancelAll: () => undefined,
    stats: { running: 0, waiting: 0, max: 0, finished: 0 },
    status: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}
