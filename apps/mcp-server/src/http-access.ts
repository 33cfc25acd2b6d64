import { isLoopbackHost } from '@code-executor/http-server';

import { tokenHashes } from './http-clients.js';
import type { FoundSettings } from './read-settings.js';

/** Who may call: the clients of the configuration, programs that can read the token file, or every program. */
export type HttpAccess =
  { kind: 'clients' } | { kind: 'token file'; homeDir: string } | { kind: 'everybody' };

/** Decides who may call; `problem` says what to set if the server cannot be served safely like this. */
export function httpAccess(
  settings: FoundSettings,
  needsToken: boolean,
): { access: HttpAccess } | { problem: string } {
  const { config, homeDir } = settings;
  const hasClients = tokenHashes(config) !== undefined;
  const problem = problemBeyondLoopback(settings, needsToken, hasClients);
  if (problem !== undefined) return { problem };
  if (!needsToken) return { access: { kind: 'everybody' } };
  if (hasClients) return { access: { kind: 'clients' } };
  if (homeDir !== undefined) return { access: { kind: 'token file', homeDir } };
  return { problem: 'There is no home folder for the token; set CODE_EXECUTOR_HOME.' };
}

/** Other machines may call only with a token each, and only by the names that the operator has given to this one. */
function problemBeyondLoopback(
  { config: { http } }: FoundSettings,
  needsToken: boolean,
  hasClients: boolean,
): string | undefined {
  if (http?.host === undefined || isLoopbackHost(http.host)) return undefined;
  const missing = [
    ...(needsToken ? [] : ['leave out --no-auth']),
    ...(hasClients ? [] : ['give each client a token in http.clients (code-executor token create <name>)']),
    ...(http.hostNames ? [] : ['set http.hostNames to the names that clients use for this machine']),
  ];
  if (missing.length === 0) return undefined;
  return `Other machines can reach http.host ${JSON.stringify(http.host)}: ${missing.join(', and ')}; or set http.host to 127.0.0.1.`;
}
