export { type BriefCallSummary, type BriefReport, briefReport } from './brief-report.js';
export {
  type CheckedRequest,
  type ExecuteLimits,
  type ExecuteParameters,
  executeParameters,
  type ExecuteRequest,
} from './execute-parameters.js';
export type { QueueOptions } from './execution-queue.js';
export type { ExecutionReport } from './execution-report.js';
export {
  createExecutor,
  type ExecuteOptions,
  type Executor,
  type ExecutorOptions,
  type ExecutorStats,
} from './executor.js';
export type { ExecutionGrants } from './grants/permission-ceiling.js';
export { refusingExecutor } from './refusing-executor.js';
