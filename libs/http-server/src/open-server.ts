import { CodeExecutorError, silentLogger } from '@code-executor/contracts';

import { type ListenerOptions, openListener } from './listener.js';
import type { HttpServer } from './http-server.js';
import type { RouteGroup } from './routes.js';

export interface OpenServerOptions extends ListenerOptions {
  /** Any address of this machine. */
  host: string;
  port: number;
}

/**
 * Serves routes that anybody who reaches the address may read, by any `Host` and without a token: probes and metrics,
 * which a cluster asks for from outside. Rejects with `invalid_argument` for a group that does anything else, and with
 * `failed_precondition` if it cannot listen there.
 */
export async function startOpenServer(
  groups: readonly RouteGroup[],
  options: OpenServerOptions,
): Promise<HttpServer> {
  const { host, port, logger = silentLogger } = options;
  if (!groups.every(isForAnybody)) {
    const problem =
      'Without tokens a server takes open groups only, of GET routes that no web page may call.';
    throw new CodeExecutorError('invalid_argument', problem);
  }
  const unmatched = { authentication: 'open', origins: 'none' } as const;
  // There are no tokens here, so no client is trusted.
  const guard = { findClient: () => undefined, unmatched };
  const { port: bound, close } = await openListener({
    ...options,
    address: host,
    port,
    guard,
    groups,
    logger,
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, close };
}

function isForAnybody({ authentication, origins, body, routes }: RouteGroup): boolean {
  const isOpen = authentication === 'open' && origins !== 'same-origin' && body === 'none';
  return isOpen && routes.every(({ method }) => method === 'GET');
}
