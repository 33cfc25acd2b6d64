export type { SandboxFrame } from './frames/sandbox-frame.js';
export { type FrameViolation, SandboxOutput } from './frames/sandbox-output.js';
export type { HostCall, HostCallContext, HostCallTable, ProgramReach } from './host-call.js';
export { hostCallContext, hostCallTable } from './host-call-table.js';
export { HostCalls, maxOutstandingCalls } from './host-calls.js';
export {
  type HostCallHandler,
  type HostCallHandlers,
  type OwnHostCalls,
  withOwnHostCalls,
} from './own-host-calls.js';
