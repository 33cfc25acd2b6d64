const maxServers = 50;

/** What a model is told about this server before it has called anything. */
export function instructionsFor(servers: readonly string[], isTypescriptEnabled: boolean): string {
  if (!isTypescriptEnabled) return 'No language is enabled here, so no code can run; health says more.';
  const shown = servers.slice(0, maxServers).join(', ');
  const more = servers.length > maxServers ? ` and ${servers.length - maxServers} more` : '';
  const reach =
    servers.length === 0
      ? 'No MCP server is configured, so code has no tools to call.'
      : `Code can call the tools of these MCP servers: ${shown}${more}.`;
  return `Use executeTypescript whenever a task takes several tool calls, or loops over, filters or joins their results: one program instead of many calls, and only its value comes back. ${reach} To find tools, run \`return await searchTools("what you need")\`; then call them with callMCPTool and name them in allowedTools.`;
}
