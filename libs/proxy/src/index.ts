export { askStatus, checkApproved } from './asking/check-approved.js';
export type { CallBudget } from './calls/call-budget.js';
export { serveToolProxy } from './serve-tool-proxy.js';
export { summarizeCalls, type ToolCall, type ToolCallSummary } from './calls/tool-call.js';
export { approvalFor } from './policy/ask-rules.js';
export type { ServerPolicy, ToolPolicy } from './policy/operator-policy.js';
export { createToolProxy, type ToolProxy, type ToolProxyOptions } from './tool-proxy.js';
export { toolProxyRoutes, type ToolProxyRoutesOptions } from './tool-proxy-routes.js';
