import { identifierOf, type ToolSchema } from '@code-executor/contracts';

import type { ToolLanguage } from './tool-language.js';

/** The tool's name at its own server: what follows `mcp__<server>__`. */
export function ownNameOf(tool: ToolSchema): string {
  const prefix = `mcp__${tool.server}__`;
  return tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name;
}

/** How names are joined in the language. */
export function styleOf(language: ToolLanguage): 'camelCase' | 'snake_case' {
  return language === 'typescript' ? 'camelCase' : 'snake_case';
}

/** How code in the sandbox names the tool: `tools.github.createIssue`. */
export function pathOf(tool: ToolSchema, language: ToolLanguage): string {
  const style = styleOf(language);
  return `tools.${identifierOf(tool.server, style)}.${identifierOf(ownNameOf(tool), style)}`;
}
