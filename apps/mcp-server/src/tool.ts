import type { Caller, ContentBlock, JsonSchema, ToolAnnotations } from '@code-executor/contracts';

/** A tool that this server offers, free of any protocol. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: ToolAnnotations;
  /** Never rejects for what the caller sent: that is an outcome with `isError`. */
  call(args: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  /** Who calls. */
  caller: Caller;
  /** Fires when the caller cancels or the connection ends. */
  signal: AbortSignal;
  /** The step of a trace that asks, as the caller sent it (W3C Trace Context). */
  traceparent?: string;
  /** Absent where the caller asked for no progress. */
  onProgress?: (message: string) => void;
}

export interface ToolOutcome {
  /** Fits the tool's `outputSchema`, also when `isError` is set. */
  structured: object;
  isError: boolean;
  /** Blocks that follow the structured part, pictures for example. */
  content?: readonly ContentBlock[];
  /** For programs, not for a model: the result's `_meta`. */
  meta?: Record<string, unknown>;
}
