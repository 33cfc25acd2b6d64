import { type ToolSchema } from '@code-executor/contracts';
import { identifierOf } from '@code-executor/schema-types';

import { ownName, serverOf } from '../names/tool-names.js';
import { nearestName, nearNames } from '../names/near-names.js';
import { quoteName } from '../quote.js';

/** How many names of tools or servers are listed if none is near. */
const maxNames = 12;

/** Says that there is no such tool, and which may have been meant, or which there are. */
export function describeMissing(
  name: string,
  tools: readonly ToolSchema[],
  servers: readonly string[],
): string {
  const server = serverOf(name, servers) ?? calledAs(name, servers);
  const isUnknown = server === undefined ? unknownServer(name) : '';
  const problem = `Tool ${quoteName(name)} does not exist${isUnknown}`;
  const near = nearNames(name, tools).map(quoteName);
  if (near.length > 0) return `${problem}; did you mean ${near.join(' or ')}?`;
  const ofServer = tools.filter((tool) => tool.server === server).map(ownName);
  if (ofServer.length > 0) return `${problem}; ${quoteName(server ?? '')} has ${listed(ofServer)}.`;
  if (servers.length === 0) return `${problem}; there are no servers.`;
  const nearest = isUnknown && nearestName(writtenServer(name) ?? '', servers);
  return `${problem}; ${nearest ? `did you mean ${quoteName(nearest)}? T` : 't'}he servers are ${listed(servers)}.`;
}

function unknownServer(name: string): string {
  const written = writtenServer(name);
  return written === undefined ? '' : ` because there is no server ${quoteName(written)}`;
}

/** The part of a name that should be its server. */
function writtenServer(name: string): string | undefined {
  return /^mcp__(.+?)__/s.exec(name)?.[1];
}

/** The server whose name in code this is: `tools.gitHub` is that of `git-hub`. */
function calledAs(name: string, servers: readonly string[]): string | undefined {
  const written = writtenServer(name);
  return servers.find(
    (server) =>
      identifierOf(server, 'camelCase') === written || identifierOf(server, 'snake_case') === written,
  );
}

function listed(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).map(quoteName).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
