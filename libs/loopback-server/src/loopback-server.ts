import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { CodeExecutorError, type Logger, silentLogger } from '@code-executor/contracts';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';

import { openFetchable } from './bad-ports.js';
import { clientCheck, hashToken, type TokenHashes } from './client-check.js';
import { sendFailure } from './error-reply.js';
import { acceptOnlyJson } from './json-body.js';
import { boundConnections } from './connections.js';
import { answerUnknownRoutes } from './known-routes.js';
import { answerUnreadable, type OnRefused, refusedConnection, reportRefusals } from './refusals.js';
import { guard } from './request-guard.js';
import { RunningRequests } from './running-requests.js';
import { dropUnreadAnswers } from './unread-answers.js';

export interface LoopbackServerOptions {
  /** `127.0.0.1`, `::1` or `localhost`, which is `127.0.0.1`. Default: `127.0.0.1`. */
  host?: string;
  /** Default, and for 0: one that is free. */
  port?: number;
  /** What callers send as `Authorization: Bearer …`. Default: 32 random bytes, as base64url. */
  token?: string;
  /**
   * How many connections may be open at once. A further one takes the place of one that has sent no whole request, or
   * is idle; if there is none, it is closed. Default: 64.
   */
  maxConnections?: number;
  /** How long running requests may go on after `close`, in ms. Default: 5000. */
  drainMs?: number;
  /**
   * Told of every request that is not let in (status 400 to 499, but for those that a route has let in by
   * `letRequestIn`), and of connections that are closed to make room.
   */
  onRefused?: OnRefused;
  /** Gets what callers must not see: the causes of internal errors. */
  logger?: Logger;
}

/** Who may ask, instead of whoever has one token. */
export interface ClientOptions extends Omit<LoopbackServerOptions, 'token'> {
  /**
   * The SHA-256 of each client's token, 64 hexadecimal digits, by the name that `clientOf` gives back, or a
   * function that is asked for them at each request; `false` lets every program on this machine ask.
   */
  clients: TokenHashes | (() => TokenHashes) | false;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** Answers 503 to new requests while it waits for the running ones, up to `drainMs`; then cuts all connections. */
  close(): Promise<void>;
}

/** A server with one token for all. */
export interface TokenServer extends LoopbackServer {
  /** What callers send as `Authorization: Bearer …`. */
  readonly token: string;
}

const maxBodyBytes = 1_000_000;
const maxHeaderBytes = 16_384;
/** A client on the same machine has its headers ready; one that dawdles holds a connection. */
const headersTimeoutMs = 5000;
const requestTimeoutMs = 30_000;
const maxRequestsPerSocket = 1000;

/** The hosts that may be asked for, with the address and the names that a request may have as its `Host`. */
const hosts = new Map([
  ['127.0.0.1', { address: '127.0.0.1', names: ['127.0.0.1'] }],
  ['localhost', { address: '127.0.0.1', names: ['127.0.0.1', 'localhost'] }],
  ['::1', { address: '::1', names: ['[::1]'] }],
]);

/**
 * Serves `routes` to programs on this machine that have the token, or the token of one of the `clients`.
 * Rejects with `invalid_argument` for a host that is not of this machine or what is no hash,
 * `failed_precondition` where the port cannot be had.
 */
export function startLoopbackServer(
  routes: FastifyPluginAsync,
  options: ClientOptions,
): Promise<LoopbackServer>;
export function startLoopbackServer(
  routes: FastifyPluginAsync,
  options?: LoopbackServerOptions,
): Promise<TokenServer>;
export async function startLoopbackServer(
  routes: FastifyPluginAsync,
  options: LoopbackServerOptions | ClientOptions = {},
): Promise<LoopbackServer> {
  const {
    host = '127.0.0.1',
    port = 0,
    maxConnections = 64,
    drainMs = 5000,
    onRefused,
    logger = silentLogger,
  } = options;
  const place = hosts.get(host);
  if (!place) {
    const problem = `Host ${JSON.stringify(host)} is not a loopback address; use 127.0.0.1, ::1 or localhost.`;
    throw new CodeExecutorError('invalid_argument', problem);
  }
  const clients = 'clients' in options ? options.clients : undefined;
  // Only `false` opens the door: whatever else came of a mistake has the token.
  const token = clients === undefined ? tokenOf(options) : undefined;
  const findClient = clients === false ? undefined : clientCheck(clients ?? { '': hashToken(token ?? '') });
  const open = async () => {
    const app = await createApp(logger, onRefused);
    boundConnections(app.server, maxConnections, (socket) => onRefused?.(refusedConnection(socket)));
    if (onRefused) reportRefusals(app, onRefused);
    const closing = new AbortController();
    guard(app, { names: place.names, ...(findClient && { findClient }), closing: closing.signal });
    const running = new RunningRequests(app);
    dropUnreadAnswers(app);
    answerUnknownRoutes(app);
    acceptOnlyJson(app);
    await app.register(routes);
    const bound = await listen(app, place.address, port);
    let closed: Promise<void> | undefined;
    const close = () => {
      closing.abort();
      return (closed ??= drain(app, running, drainMs));
    };
    return { port: bound.port, close };
  };
  const { port: bound, close } = await (port === 0 ? openFetchable(open) : open());
  return { url: `http://${place.names[0] ?? ''}:${bound}`, ...(token !== undefined && { token }), close };
}

function tokenOf(options: LoopbackServerOptions | ClientOptions): string {
  const given = 'token' in options ? options.token : undefined;
  return given ?? randomBytes(32).toString('base64url');
}

async function createApp(logger: Logger, onRefused: OnRefused | undefined): Promise<FastifyInstance> {
  // Loaded here, so that whoever may need a server one day does not wait for it today.
  const { default: fastify } = await import('fastify');
  const app = fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    maxRequestsPerSocket,
    http: {
      headersTimeout: headersTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
      // Node looks for late requests this often; its own default is half a minute.
      connectionsCheckingInterval: 1000,
    },
    exposeHeadRoutes: false,
    // The guard answers, in our words.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, onRefused),
    frameworkErrors: (reason, _request, reply) => void sendFailure(reply, reason, logger),
  });
  app.setErrorHandler((reason, _request, reply) => sendFailure(reply, reason, logger));
  return app;
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<AddressInfo> {
  try {
    await app.listen({ host, port });
    return app.server.address() as AddressInfo;
  } catch (cause) {
    await app.close();
    const code = (cause as { code?: unknown }).code;
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw cause;
    const why = code === 'EADDRINUSE' ? 'is in use' : 'may not be used';
    throw new CodeExecutorError('failed_precondition', `Port ${port} of ${host} ${why}; choose another.`, {
      cause,
    });
  }
}

/** Goes on listening while something runs: who comes meanwhile is told to come again, not cut off. */
async function drain(app: FastifyInstance, running: RunningRequests, drainMs: number): Promise<void> {
  const endsAt = performance.now() + drainMs;
  await running.ended(drainMs);
  const late = setTimeout(() => app.server.closeAllConnections(), Math.max(0, endsAt - performance.now()));
  try {
    await app.close();
  } finally {
    clearTimeout(late);
  }
}
