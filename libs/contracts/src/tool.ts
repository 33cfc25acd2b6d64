import type { JsonObject, JsonSchema } from './json.js';

/** The name of an upstream tool as code and policy see it: `mcp__<server>__<tool>`. */
export type ToolName = `mcp__${string}__${string}`;

/** Hints of an upstream server about its tool (MCP `ToolAnnotations`); a claim, not a fact. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** What is known about one upstream tool. Texts come from the upstream server: data, not instructions. */
export interface ToolSchema {
  name: ToolName;
  /** The configured name of the server that offers the tool. */
  server: string;
  title?: string;
  description?: string;
  /** JSON Schema of the arguments (MCP `inputSchema`). */
  parameters: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
  /** Set where calling the tool would fail, with the reason and what to do about it. */
  unavailable?: { reason: string; fix: string };
}

/** An upstream server whose tools could not be listed. */
export interface FailedServer {
  server: string;
  reason: string;
  /** What the user can do about it. */
  fix: string;
}

/** The answer of {@link ToolSource.listTools}: what is there, and what could not be asked. */
export interface ToolListing {
  tools: ToolSchema[];
  failedServers: FailedServer[];
}

/** Options of everything that waits. */
export interface CallOptions {
  /** Ends the wait; the call rejects with code `cancelled`. */
  signal?: AbortSignal;
}

/** Narrows a listing. Without options, everything is listed. */
export interface ListOptions extends CallOptions {
  /** Whitespace-separated words; a tool matches when any of them occurs in its name or description. */
  query?: string;
  /** At most this many tools. */
  limit?: number;
  /** Exactly this tool; only the servers that could offer it are asked. */
  name?: string;
}

/** One block of a tool result, as MCP defines it (`text`, `image`, `audio`, `resource`, `resource_link`). */
export interface ContentBlock {
  type: string;
  [key: string]: unknown;
}

/** The whole result of an upstream tool. `isError` is part of the result, not an exception. */
export interface ToolResult {
  content: ContentBlock[];
  structuredContent?: JsonObject;
  isError?: boolean;
  _meta?: JsonObject;
}

/** The two verbs that travel from the sandbox to the upstream server. */
export interface ToolSource {
  /** Never rejects for a broken server: it is named in `failedServers`. */
  listTools(options?: ListOptions): Promise<ToolListing>;
  /**
   * Resolves with the whole result; rejects with a {@link CodeExecutorError} when the host cannot or
   * will not call.
   */
  callTool(name: ToolName, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
}
