import { randomBytes } from 'node:crypto';

import { silentLogger } from '@code-executor/contracts';

import { openFetchable } from './bad-ports.js';
import { clientCheck, hashToken, type TokenHashes } from './client-check.js';
import { listenAddress } from './listen-address.js';
import { type ListenerOptions, openListener } from './listener.js';
import type { RouteGroup } from './routes.js';

export interface HttpServerOptions extends ListenerOptions {
  /**
   * `127.0.0.1`, `::1`, `localhost` (which is `127.0.0.1`), or an address that other machines reach, if clients need
   * tokens and `hostNames` is set. Default: `127.0.0.1`.
   */
  host?: string;
  /** Default, and for 0: one that is free. */
  port?: number;
  /**
   * The names that clients use in `Host`, without a port: they may add any, as a reverse proxy or a container has its
   * own. Every other `Host` is answered with 421. Default: the loopback address with the port of the listener.
   */
  hostNames?: readonly string[];
  /** What clients send as `Authorization: Bearer …`. Default: 32 random bytes, as base64url. */
  token?: string;
}

/** Several clients, each with a token of its own, instead of one token for all. */
export interface ClientOptions extends Omit<HttpServerOptions, 'token'> {
  /**
   * The SHA-256 of each client's token, 64 hexadecimal digits, by the name that a handler gets as `clientId`, or a
   * function that is asked for them at each request; `false`: every program on this machine may call.
   */
  clients: TokenHashes | (() => TokenHashes) | false;
}

export interface HttpServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** Answers 503 to new requests while it waits for the running ones, up to `drainMs`; then cuts all connections. */
  close(): Promise<void>;
}

/** A server whose clients have names. */
export interface ClientServer extends HttpServer {
  /** Cuts the connections on which this client has requests under way, so that all of these end. */
  hangUp(clientId: string): void;
}

/** A server with one token for all. */
export interface TokenServer extends HttpServer {
  /** What clients send as `Authorization: Bearer …`. */
  readonly token: string;
}

/**
 * Serves groups of routes to clients that have the token, or one of the tokens of `clients`. Rejects with
 * `invalid_argument` for an address or a name that is not allowed and for a token hash that is none, and with
 * `failed_precondition` if it cannot listen there.
 */
export function startHttpServer(groups: readonly RouteGroup[], options: ClientOptions): Promise<ClientServer>;
export function startHttpServer(
  groups: readonly RouteGroup[],
  options?: HttpServerOptions,
): Promise<TokenServer>;
export async function startHttpServer(
  groups: readonly RouteGroup[],
  options: HttpServerOptions | ClientOptions = {},
): Promise<HttpServer> {
  const { host = '127.0.0.1', port = 0, hostNames, logger = silentLogger } = options;
  const clients = 'clients' in options ? options.clients : undefined;
  const { address, hosts } = listenAddress({ host, hostNames, hasAuthentication: clients !== false });
  // Only `false` opens the server to everybody: anything else that a mistake leaves here means one token.
  const token = clients === undefined ? tokenOf(options) : undefined;
  const findClient = clients === false ? undefined : clientCheck(clients ?? { '': hashToken(token ?? '') });
  const guard = {
    hosts,
    ...(findClient && { findClient }),
    unmatched: { authentication: 'token', origins: 'none' },
  } as const;
  const open = () => openListener({ ...options, address, port, guard, groups, logger });
  const { port: bound, close, hangUp } = await (port === 0 ? openFetchable(open) : open());
  const name = address.includes(':') ? `[${address}]` : address;
  const server: ClientServer = { url: `http://${name}:${bound}`, close, hangUp };
  return { ...server, ...(token !== undefined && { token }) };
}

function tokenOf(options: HttpServerOptions | ClientOptions): string {
  const given = 'token' in options ? options.token : undefined;
  return given ?? randomBytes(32).toString('base64url');
}
