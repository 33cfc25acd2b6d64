import type {
  AuditSink,
  CallerEvent,
  FailedServer,
  Logger,
  LoginEvent,
  ToolSchema,
} from '@code-executor/contracts';

import type { ToolListCache } from './catalog/tool-list-cache.js';

/** An MCP server that runs as a child process and speaks over its stdin and stdout. */
export interface StdioServer {
  command: string;
  args?: string[];
  /** Added to `baseEnv`; nothing else reaches the child. */
  env?: Record<string, string>;
  /** Default: the working directory of this process. */
  cwd?: string;
  /** Which eras of MCP are tried: `auto` asks for 2026-07-28 first. Default `legacy`, because many servers exit on an unknown first message. */
  protocol?: 'legacy' | 'auto';
  /** How long it may take to start, answer and list its tools, in ms. Default: as for all servers. */
  connectTimeoutMs?: number;
}

/** An MCP server behind an http or https URL. */
export interface HttpServer {
  /** `http` (the default) means Streamable HTTP, and SSE if the server does not speak that; `sse` goes straight to SSE. */
  type?: 'http' | 'sse';
  url: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** How a login there is made, if the server wants one. */
  oauth?: OAuthOptions;
  /** Which eras of MCP are tried: `auto`, the default, asks for 2026-07-28 first; `legacy` does not. With `sse` always `legacy`. */
  protocol?: 'legacy' | 'auto';
  /** How long it may take to answer and list its tools, in ms. Default: as for all servers. */
  connectTimeoutMs?: number;
}

/** How a login at a server is made. */
export interface OAuthOptions {
  /** Of a client that was registered with the authorization server by hand. Default: the client registers itself. */
  clientId?: string;
  clientSecret?: string;
  /** An https URL with the client's own metadata document, for authorization servers that take one. */
  clientMetadataUrl?: string;
  /** Asked for in addition to what the server asks for. */
  scopes?: string[];
}

export type UpstreamServer = StdioServer | HttpServer;

export interface ClientPoolOptions {
  /** The servers by name, in the order in which their tools are listed. */
  servers: Record<string, UpstreamServer>;
  /** Servers that are configured and cannot be used: named in listings, and in the errors of calls to their tools. */
  unusable?: readonly FailedServer[];
  /** Environment of every child process, for example PATH and HOME. Default: none. */
  baseEnv?: Record<string, string>;
  /** How long a call may take; progress notifications of the server start it anew, ten times at most. Default 60,000. */
  callTimeoutMs?: number;
  /** How long a server may take to start, answer and list its tools, in ms: `npx` may have to fetch it first. Default 120,000. */
  connectTimeoutMs?: number;
  /** Where tool lists are kept, so that listing needs no connection. Default: each list is kept as long as its connection. */
  cache?: ToolListCache;
  /** Called with the tools of a server each time the server itself has listed them, not the cache. Must not throw. */
  onListed?: (tools: readonly ToolSchema[]) => void;
  /** Longest wait of a listing for a server that starts, or for a list that is read again, in ms. Default 500. */
  discoveryTimeoutMs?: number;
  /** How many calls run at once; further ones wait. Default 100. */
  maxConcurrent?: number;
  /** How many calls may wait for their turn; further ones are refused. Default 200. */
  maxQueued?: number;
  /** How long a call may wait for its turn, in ms. Default 30,000. */
  queueTimeoutMs?: number;
  /** After this many failures in a row, a server's circuit opens and its calls are refused. Default 5. */
  failureThreshold?: number;
  /** How long a circuit is open until one call may try again, in ms. Default 30,000. */
  resetTimeoutMs?: number;
  /** The folder in which logins at remote servers are kept. Default: none, no server is logged in at. */
  loginFolder?: string;
  /** Gets the changes of circuits (type `circuit`) and of logins (`login`), and the calls that the queue refuses (`queue`). Default: none. */
  audit?: AuditSink<CallerEvent | LoginEvent>;
  /** Default: no log. */
  logger?: Logger;
}

/** What the pool is doing now. */
export interface PoolStats {
  /** Calls that run. */
  active: number;
  /** Calls that wait for one of the `max` places. */
  waiting: number;
  max: number;
  servers: ServerStats[];
}

export interface ServerStats {
  name: string;
  /** `idle`: not needed yet, or its connection ended and the next call reconnects. */
  state: 'idle' | 'connecting' | 'connected' | 'failed';
  /** Number of tools, when connected. */
  tools?: number;
  /** Why it failed, or for how long it has been connecting. */
  reason?: string;
  /** `open`: its calls are refused; `half_open`: one call may try whether it works again. */
  circuit: CircuitState;
  /** Failures since its last call that worked. */
  failuresInRow: number;
  /** Failures since the pool was made; refused calls do not count. */
  circuitFailures: number;
}

/** What keeps calls away from a server that fails all the time. */
export type CircuitState = 'closed' | 'open' | 'half_open';
