import { type ToolSchema } from '@code-executor/contracts';
import { identifierOf } from './identifier.js';
import { type IdentifierStyle } from './identifier.js';

/** The tool's name on its own server: the part after `mcp__<server>__`. */
export function ownNameOf(tool: ToolSchema): string {
  const prefix = `mcp__${tool.server}__`;
  return tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name;
}

/** The tool's path in sandboxed code: `tools.github.createIssue`. */
export function pathOf(tool: ToolSchema, style: IdentifierStyle): string {
  return `tools.${identifierOf(tool.server, style)}.${identifierOf(ownNameOf(tool), style)}`;
}
