import type { Language } from '@code-executor/contracts';

import { listNames } from './list-names.js';

const maxServerChars = 1000;
const tools = {
  typescript: {
    name: 'executeTypescript',
    search: 'return await searchTools("what you need")',
    call: 'callMCPTool',
  },
  python: { name: 'executePython', search: 'search_tools("what you need")', call: 'call_mcp_tool' },
} satisfies Record<Language, object>;

/** What a model is told about this server before it has called anything. */
export function instructionsFor(servers: readonly string[], languages: readonly Language[]): string {
  const [first] = languages;
  if (first === undefined) return 'No language is enabled here, so no code can run; health says more.';
  const names = languages.map((language) => tools[language].name).join(' or ');
  const reach =
    servers.length === 0
      ? 'No MCP server is configured, so code has no tools to call.'
      : `Code can call the tools of these MCP servers: ${listNames(servers, maxServerChars)}.`;
  // One example is enough: each tool's description names what its language has.
  const { search, call } = tools[first];
  return `Use ${names} whenever a task takes several tool calls, or loops over, filters or joins their results: one program instead of many calls, and only its value comes back. ${reach} To find tools, run \`${search}\`${languages.length > 1 ? ' (TypeScript)' : ''}; then call them with ${call} and name them, or their servers, in allowedTools.`;
}
