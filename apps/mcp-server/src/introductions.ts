import { type LanguageName, languageTools } from '@code-executor/config';

/** How a language is introduced to a model. */
export interface Introduction {
  /** The language, for people. */
  title: string;
  /** The tool that runs its programs; the description names the servers whose tools they can call. */
  tool: { name: string; title: string; description: (servers: string) => string };
  /** What a program writes to find tools. */
  search: string;
  /** What it calls them with. */
  call: string;
}

/** Of all languages of the configuration. */
export const introductions: Readonly<Record<LanguageName, Introduction>> = {
  typescript: {
    title: 'TypeScript',
    tool: {
      name: languageTools.typescript,
      title: 'Execute TypeScript',
      description: (
        servers,
      ) => `Runs TypeScript in a sandbox without network or files. \`return\` gives its result, console.log its output.
Servers: ${servers}. Async globals: tools.server.tool(args) or callMCPTool("mcp__server__tool", args) calls a tool that allowedTools names: plain value, or it throws. searchTools(query) finds tools with their signatures, discoverMCPTools({ detail: "names" }) lists all, getToolTypes(names) has the types; display(x) shows a picture.
Example, with allowedTools ["github"]: \`const issues = await tools.github.listIssues({ repo: "a" }); return issues.length\``,
    },
    search: 'return await searchTools("what you need")',
    call: 'callMCPTool',
  },
  python: {
    title: 'Python',
    tool: {
      name: languageTools.python,
      title: 'Execute Python',
      description: (
        servers,
      ) => `Runs Python in a sandbox without network or files. The last expression is its result.
Servers: ${servers}. Globals, await optional: tools.server.tool(**args) or call_mcp_tool("mcp__server__tool", args) calls a tool that allowedTools names: plain value, or it raises. search_tools(query) finds tools with their signatures, get_tool_types(names) has the types; display(x) shows a picture.
Example, with allowedTools ["github"]: \`len(tools.github.list_issues(repo="a"))\``,
    },
    search: 'search_tools("what you need")',
    call: 'call_mcp_tool',
  },
};
