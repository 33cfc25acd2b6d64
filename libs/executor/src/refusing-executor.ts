import type { CodeExecutorError } from '@code-executor/contracts';

import { reportFault } from './execution-report.js';
import { type Executor, newExecutionId } from './executor.js';

/** Runs nothing, whatever is asked of it: each report says why. For a server that cannot start. */
export function refusingExecutor(reason: CodeExecutorError): Executor {
  return {
    execute: () => Promise.resolve(reportFault(newExecutionId(), reason, undefined)),
    stats: { running: 0, waiting: 0, max: 0 },
    status: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}
