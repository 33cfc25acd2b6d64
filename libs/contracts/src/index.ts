export { anySignal } from './any-signal.js';
export type {
  ApprovalOutcome,
  ApprovalRequest,
  Approve,
  CallHook,
  HookedCall,
  HookVerdict,
} from './approval.js';
export type {
  Admission,
  AskEvent,
  AuditEvent,
  AuditRecord,
  AuditSink,
  CallerEvent,
  DenialEvent,
  EventMarks,
  ExecutionEndedEvent,
  ExecutionStartedEvent,
  HookEvent,
  LifecycleEvent,
  LoginEvent,
  OmittedEvent,
  PinningEvent,
  QueueEvent,
  RefusedRequestEvent,
  SessionEvent,
  ToolCallEndedEvent,
} from './audit.js';
export { type CallStep, type NextStep, throughSteps } from './call-step.js';
export { type Caller, type CallerPolicy, embedder } from './caller.js';
export { CodeExecutorError, type CodeExecutorErrorOptions, type ErrorCode } from './error.js';
export { HostPattern } from './host-pattern.js';
export type { HttpFetcher, HttpFetchOptions, HttpRequest, HttpResponse } from './http-fetcher.js';
export type { JsonObject, JsonSchema, JsonValue } from './json.js';
export { type Logger, silentLogger } from './logger.js';
export { matchesGlob } from './matches-glob.js';
export { pictureTypeOf, pictureTypes } from './picture-type.js';
export {
  type ExecutionError,
  type ExecutionErrorCode,
  type ExecutionRequest,
  type ExecutionResult,
  type ExecutionStatus,
  type GrantedPath,
  type GrantedPermissions,
  type IsolationMode,
  type Language,
  noPermissions,
  type OutputChunk,
  type Permissions,
  type RunPause,
  type Sandbox,
  type SandboxStatus,
} from './sandbox.js';
export type {
  CallOptions,
  ContentBlock,
  FailedServer,
  ListDetail,
  ListOptions,
  ToolAnnotations,
  ToolHit,
  ToolListing,
  ToolName,
  ToolResult,
  ToolSchema,
  ToolSource,
} from './tool.js';
export { ToolFailure, toolFailureText } from './tool-failure.js';
export { formatTraceparent, newTraceParent, parseTraceparent, type TraceParent } from './traceparent.js';
export { printable, printableJson } from './printable.js';
export { sortedJson } from './sorted-json.js';
export { systemCodeOf } from './system-code.js';
export { untilAborted } from './until-aborted.js';
export { within } from './within.js';
export { plainContent } from './plain-content.js';
