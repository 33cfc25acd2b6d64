import type { Language } from '@code-executor/contracts';

import { listNames } from '../../list-names.js';

/** Names of servers in each description, in characters: a client may show a model one of the tools alone. */
const maxServerChars = 200;

/** How a model is told about a tool that runs programs. */
export interface Introduction {
  name: string;
  title: string;
  description: string;
}

/** The introduction of a language's tool, which names the servers whose tools a program can call. */
export function introductionOf(language: Language, servers: readonly string[]): Introduction {
  return introductions[language](listNames(servers, maxServerChars) || 'none');
}

const introductions: Record<Language, (servers: string) => Introduction> = {
  typescript: (servers) => ({
    name: 'executeTypescript',
    title: 'Execute TypeScript',
    description: `Runs TypeScript in a sandbox without network or files. \`return\` gives its result, console.log its output.
Servers: ${servers}. Async globals: tools.server.tool(args) or callMCPTool("mcp__server__tool", args) calls a tool that allowedTools names: plain value, or it throws. searchTools(query) finds tools with their signatures, discoverMCPTools({ detail: "names" }) lists all, getToolTypes(names) has the types; display(x) shows a picture.
Example, with allowedTools ["github"]: \`const issues = await tools.github.listIssues({ repo: "a" }); return issues.length\``,
  }),
  python: (servers) => ({
    name: 'executePython',
    title: 'Execute Python',
    description: `Runs Python in a sandbox without network or files. The last expression is its result.
Servers: ${servers}. Globals, await optional: tools.server.tool(**args) or call_mcp_tool("mcp__server__tool", args) calls a tool that allowedTools names: plain value, or it raises. search_tools(query) finds tools with their signatures, get_tool_types(names) has the types; display(x) shows a picture.
Example, with allowedTools ["github"]: \`len(tools.github.list_issues(repo="a"))\``,
  }),
};
