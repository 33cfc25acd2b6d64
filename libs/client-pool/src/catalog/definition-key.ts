import { createHash } from 'node:crypto';

import type { UpstreamServer } from '../options.js';
import { secretsOf, withoutCredentials, withoutSecrets } from '../connection/secrets-of.js';

/**
 * The key of a server's tools in a cache: another definition under the same name is another server. Someone who reads
 * the cache must not be able to guess a short password from it. So of the values that may be secret (those of `env` and
 * `headers`, and in arguments and addresses) the key has one byte of a hash, which shows nearly all changes and nothing
 * else.
 */
export function definitionKey(name: string, server: UpstreamServer): string {
  // Another client, or other scopes, may see other tools.
  const { clientId, scopes } = ('url' in server && server.oauth) || {};
  const login = clientId === undefined && scopes === undefined ? [] : [clientId, scopes];
  return `${serverIdentity(name, server)}${hash([...secretsOf(server), ...login]).slice(0, 2)}`;
}

/** What tells a server from others under its name: the key without the secrets, which change more often than servers do. */
export function serverIdentity(name: string, server: UpstreamServer): string {
  const shown =
    'command' in server
      ? [server.command, withoutSecrets(server.args ?? []), server.cwd, namesOf(server.env)]
      : [server.type, withoutCredentials(server.url), namesOf(server.headers)];
  return `${name}#${hash(shown).slice(0, 16)}`;
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function namesOf(values: Record<string, string> = {}): string[] {
  return Object.keys(values).sort();
}
