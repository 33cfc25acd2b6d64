import type { Caller, ContentBlock, JsonSchema, ToolAnnotations } from '@code-executor/contracts';
import type { Execution } from '@code-executor/executor';

/** A tool that this server offers, independent of any protocol. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: ToolAnnotations;
  /** Never rejects because of what the caller sent; that is an outcome with `isError`. */
  call(args: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  /** Who calls. */
  caller: Caller;
  /** Fires when the call is to end. */
  signal: AbortSignal;
  /** Whether questions of what the tool runs are shown to a person. */
  canAsk: boolean;
  /** The caller's `traceparent` (W3C Trace Context), as it was sent. */
  traceparent?: string;
  onProgress: (message: string) => void;
  /** Called with what the tool runs, as soon as it is there. */
  onExecution: (execution: Execution) => void;
  /** Called with a link at which a person can log in at a server that wants that. Absent if nobody can open it. */
  onLoginLink?: (link: LoginLink) => void;
}

/** Where a person on this machine can log in at an upstream server. */
export interface LoginLink {
  server: string;
  /** With TLS, or on this machine. */
  url: string;
  /** Resolves when the login is made. */
  finished: Promise<unknown>;
}

export interface ToolOutcome {
  /** Fits the tool's `outputSchema`, also when `isError` is set. */
  structured: object;
  isError: boolean;
  /** Blocks that follow the structured part, for example pictures. */
  content?: readonly ContentBlock[];
  /** The result's `_meta`, which is for programs and not for a model. */
  meta?: Record<string, unknown>;
}
