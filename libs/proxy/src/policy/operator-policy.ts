/**
 * What the server's operator lets executions call. An entry is an exact name, a pattern with `*` for any characters, or
 * the name of a server, which stands for all of its tools.
 */
export interface ToolPolicy {
  /** The most that any execution may call, as full tool names; default: no ceiling. `[]` forbids every tool. */
  ceiling?: readonly string[];
  /** What an execution without `allowedTools` may call; default: nothing. */
  defaultAllowedTools?: readonly string[];
  /**
   * Rules per server, whose entries are a tool's own name or, beginning with `mcp__`, its full one; `deny` wins over
   * `allow`. A person has to agree to each call of the tools in `ask`.
   */
  servers?: Record<string, ServerPolicy>;
  /**
   * Whether only tools may be called whose annotations say `readOnlyHint`. That is a claim of their servers. Default: false.
   */
  readOnly?: boolean;
  /** The product's own tools, names or globs, whose programs a person has to agree to; see `approvalFor`. */
  ask?: readonly string[];
}

export interface ServerPolicy {
  allow?: readonly string[];
  deny?: readonly string[];
  ask?: readonly string[];
}
