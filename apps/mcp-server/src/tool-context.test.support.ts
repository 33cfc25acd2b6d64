import type { Caller } from '@code-executor/contracts';

import type { ToolContext } from './tool.js';

/** What a tool gets from a caller that follows nothing of it. */
export function contextOf(caller: Caller): ToolContext {
  const ignore = () => undefined;
  const { signal } = new AbortController();
  return { caller, signal, canAsk: false, onProgress: ignore, onExecution: ignore };
}
