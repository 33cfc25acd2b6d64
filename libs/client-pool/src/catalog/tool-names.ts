import type { ToolName } from '@code-executor/contracts';

/** The name of a server's tool as code and policy see it. */
export function toolName(server: string, ownName: string): ToolName {
  return `mcp__${server}__${ownName}`;
}

/**
 * The servers that the tool name may belong to, the longest name first, each with the tool's own name
 * there. Server and tool names may hold `__` themselves, so `mcp__a__b__c` may be tool `c` of server
 * `a__b` or tool `b__c` of server `a`.
 */
export function possibleOwners<Server extends { name: string }>(
  name: string,
  servers: Iterable<Server>,
): { server: Server; ownName: string }[] {
  const owners = [];
  for (const server of servers) {
    const prefix = toolName(server.name, '');
    if (name.length > prefix.length && name.startsWith(prefix)) {
      owners.push({ server, ownName: name.slice(prefix.length) });
    }
  }
  return owners.sort((a, b) => b.server.name.length - a.server.name.length);
}
