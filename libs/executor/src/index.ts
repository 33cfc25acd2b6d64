export { type BriefCallSummary, type BriefReport, briefReport } from './brief-report.js';
export {
  type CheckedRequest,
  type ExecuteLimits,
  type ExecuteParameters,
  executeParameters,
  type ExecuteRequest,
} from './execute-parameters.js';
export type { QueueOptions } from './execution-queue.js';
export type { Execution, ExecutionState, ExecutionSummary } from './execution.js';
export { type ExecutionFilter, Executions, type KeepOptions } from './executions.js';
export type { OutputPage } from './output-log.js';
export type { ExecutionReport } from './execution-report.js';
export type { ExecuteOptions, Executor, ExecutorOptions, ExecutorStats } from './executor.js';
export type { ExecutionLanguage, RunnableLanguage } from './languages/execution-language.js';
export { python } from './languages/python.js';
export { typescript } from './languages/typescript.js';
export type { ExecutionGrants } from './grants/permission-ceiling.js';
export { refusingExecutor } from './refusing-executor.js';
export { createExecutor } from './queued-executor.js';
