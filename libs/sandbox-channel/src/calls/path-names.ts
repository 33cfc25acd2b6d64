import { CodeExecutorError } from '@code-executor/contracts';
import { identifierOf, type IdentifierStyle } from '@code-executor/schema-types';

import type { HostCall } from '../host-call.js';

const maxShownNames = 12;
const maxShownChars = 200;

/**
 * The names that a program can write after `tools.`, or after `tools.<server>.` if a server is given:
 * `{ server?, style }`. They include servers that cannot be listed.
 */
export const pathNames: HostCall = {
  async answer({ server: written, style: given }, { tools: source }, signal) {
    const style = given === 'snake_case' ? given : 'camelCase';
    const { tools, failedServers } = await source.listTools({ detail: 'schemas', signal });
    const servers = new Set([...tools, ...failedServers].map(({ server = '' }) => server));
    if (typeof written !== 'string') return asWritten(servers, style);
    const isMeant = (server: string) => server === written || identifierOf(server, style) === written;
    const server = servers.has(written) ? written : [...servers].find(isMeant);
    if (server === undefined) throw noServer(written, [...servers]);
    const ofServer = await source.listTools({ server, detail: 'schemas', untilReady: true, signal });
    const names = ofServer.tools.map(({ name }) => name.slice(`mcp__${server}__`.length));
    return asWritten(new Set(names), style);
  },
};

/** Returns names as identifiers; names that would become the same identifier stay as they are. */
function asWritten(names: ReadonlySet<string>, style: IdentifierStyle): string[] {
  const identifiers = [...names].map((name) => identifierOf(name, style));
  const isShared = (identifier: string) =>
    identifiers.indexOf(identifier) !== identifiers.lastIndexOf(identifier);
  return [...names].map((name, index) => {
    const identifier = identifiers[index] ?? name;
    return isShared(identifier) ? name : identifier;
  });
}

function noServer(written: string, servers: readonly string[]): CodeExecutorError {
  const shown = servers.slice(0, maxShownNames).map((name) => name.slice(0, maxShownChars));
  const more = servers.length > shown.length ? ` and ${servers.length - shown.length} more` : '';
  const known = servers.length === 0 ? 'there are none' : `the servers are ${shown.join(', ')}${more}`;
  return new CodeExecutorError(
    'not_found',
    `There is no server ${written.slice(0, maxShownChars)}; ${known}.`,
  );
}
