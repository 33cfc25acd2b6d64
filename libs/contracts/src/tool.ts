import type { Caller } from './caller.js';
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
  /** Set if calling the tool would fail, with the reason and what to do about it. */
  unavailable?: { reason: string; fix: string };
  /** Set if its server has changed the tool since its definition was pinned: what is different. */
  changed?: string;
}

/** An upstream server whose tools could not be listed. */
export interface FailedServer {
  server: string;
  reason: string;
  /** What the user can do about it. */
  fix: string;
  /** It is still starting and may be listed soon; a call to one of its tools waits for it. */
  isStarting?: true;
  /** Milliseconds after which it is tried again; absent if that is unknown. */
  retryAfterMs?: number;
  /** It can be used once somebody has logged in. */
  needsLogin?: true;
}

/**
 * How much a listing has of each tool. `full` is a signature and the schemas, `schemas` only the schemas. `brief` is for
 * a model that looks for a tool: the signatures of the first tools, as far as there is room, and the parameter names of
 * the others.
 */
export type ListDetail = 'names' | 'brief' | 'signatures' | 'types' | 'schemas' | 'full';

/** A tool in a listing. With less than the full detail, other fields are left out. */
export interface ToolHit extends Partial<Omit<ToolSchema, 'name'>> {
  name: ToolName;
  /** The call in the program's own language, with the types of arguments and result, on one line; see `brief`. */
  signature?: string;
  /** Whether a person is asked about each call. */
  asks?: true;
  /** Declarations of the call, of its arguments and its result in the program's own language. */
  types?: string;
  /** How well the tool fits the query, in percent of the tool that fits best. */
  score?: number;
}

/**
 * The answer of {@link ToolSource.listTools}: the tools, and the servers that could not be listed. Do not change the list or a
 * tool in it, because others have the same objects.
 */
export interface ToolListing<Tool extends ToolHit = ToolSchema> {
  tools: Tool[];
  failedServers: FailedServer[];
}

/** Options of calls and listings. */
export interface CallOptions {
  /** Ends the wait; the call rejects with code `cancelled`. */
  signal?: AbortSignal;
  /** The calling step of a trace, in the form of W3C Trace Context; upstream servers get it as `_meta.traceparent`. */
  traceparent?: string;
  /** The calling execution: records name it, and it gets a share of limited places. */
  executionId?: string;
  /** Who asks, or whose execution it is. */
  caller?: Caller;
  /** Called when the wait for a free place is over. */
  onStart?: () => void;
  /** Only tools of this server: a tool of another server is not meant, whatever its name. */
  server?: string;
  /**
   * Called with the tool as its server lists it now, just before the call is made. If it throws, the call is not made and
   * rejects with that error.
   */
  acceptTool?: (tool: ToolSchema) => void;
}

/** Narrows a listing. Without options, everything is listed. */
export interface ListOptions extends CallOptions {
  /** Search terms, of which any may match. A source that ranks lists the best tool first. */
  query?: string;
  /** Leaves out this many tools at the beginning; default 0. */
  offset?: number;
  /** At most this many tools. */
  limit?: number;
  /** How much to list of each tool; default `full`. A source may always list `full`. */
  detail?: ListDetail;
  /** Exactly this tool; only the servers that could offer it are asked. */
  name?: string;
  /** Whether to list the servers again and wait for that, but not for long. Default: false. */
  refresh?: boolean;
  /**
   * Whether to wait for the servers to start, however long that takes, and to list them again for an unknown `name`. Set
   * it before you call a tool. Default: false, a server that takes more than a moment is named in `failedServers`.
   */
  untilReady?: boolean;
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

/**
 * The two verbs that travel from the sandbox to the upstream server. `ToolSource<ToolHit>` is one that respects
 * `detail`; any other is one, too.
 */
export interface ToolSource<Tool extends ToolHit = ToolSchema> {
  /**
   * Lists the tools. Never rejects for a broken server: it is named in `failedServers`.
   *
   * A listed array, a tool in it and the schemas of that tool never change: whatever changes is listed as a new
   * object. So what is made of them (a search index, a validator, a signature) can be kept by the object, for example
   * in a `WeakMap`. A source therefore lists the same objects as long as they say the same: new ones are correct, but
   * everything is then made again.
   */
  listTools(options?: ListOptions): Promise<ToolListing<Tool>>;
  /**
   * Resolves with the whole result; rejects with a {@link CodeExecutorError} when the host cannot or
   * will not call.
   */
  callTool(name: ToolName, args: JsonObject, options?: CallOptions): Promise<ToolResult>;
}
