import type { ToolName } from '@code-executor/contracts';

/** The one of the servers to which a tool of that name belongs; undefined if none fits. */
export function serverOf(name: string, servers: Iterable<string>): string | undefined {
  let best: string | undefined;
  for (const server of servers) {
    // The longest server name that fits is the one meant: `a__b` before `a`.
    if (name.startsWith(`mcp__${server}__`) && server.length > (best?.length ?? -1)) best = server;
  }
  return best;
}

/** The tool's own name, without `mcp__<server>__`. */
export function ownName(tool: { name: ToolName; server: string }): string {
  const prefix = `mcp__${tool.server}__`;
  return tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name;
}
