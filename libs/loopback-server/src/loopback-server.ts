import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { CodeExecutorError, type Logger, silentLogger } from '@code-executor/contracts';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';

import { bearerCheck, newToken } from './bearer-token.js';
import { sendError, sendFailure } from './error-reply.js';
import { acceptOnlyJson } from './json-body.js';
import { answerUnknownRoutes } from './known-routes.js';
import { refusalOf } from './request-guard.js';

export interface LoopbackServerOptions {
  /** `127.0.0.1`, `::1` or `localhost`, which is `127.0.0.1`. Default: `127.0.0.1`. */
  host?: string;
  /** Default: one that is free. */
  port?: number;
  /** What callers send as `Authorization: Bearer …`. Default: 32 random bytes, as base64url. */
  token?: string;
  /** How long running requests may go on after `close`, in ms. Default: 5000. */
  drainMs?: number;
  /** Gets what callers must not see: the causes of internal errors. */
  logger?: Logger;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** What callers send as `Authorization: Bearer …`. */
  readonly token: string;
  /** Takes no more requests, waits for the running ones up to `drainMs`, then cuts their connections. */
  close(): Promise<void>;
}

const maxBodyBytes = 10_000_000;
const maxHeaderBytes = 16_384;
/** A client on the same machine has its headers ready; one that dawdles holds a connection. */
const headersTimeoutMs = 5000;
const requestTimeoutMs = 30_000;
const maxConnections = 1024;
const retryAfterCloseMs = 30_000;

const addresses = new Map([
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', '127.0.0.1'],
  ['::1', '::1'],
]);

/**
 * Serves `routes` to programs on this machine that have the token. Rejects with `invalid_argument` for a
 * host that is not of this machine, `failed_precondition` where the port cannot be had.
 */
export async function startLoopbackServer(
  routes: FastifyPluginAsync,
  options: LoopbackServerOptions = {},
): Promise<LoopbackServer> {
  const { host = '127.0.0.1', port = 0, token = newToken(), drainMs = 5000, logger = silentLogger } = options;
  const address = addresses.get(host);
  if (address === undefined) {
    const problem = `Host ${JSON.stringify(host)} is not a loopback address; use 127.0.0.1, ::1 or localhost.`;
    throw new CodeExecutorError('invalid_argument', problem);
  }
  const app = await createApp(logger);
  const closing = new AbortController();
  guard(app, bearerCheck(token), closing.signal);
  answerUnknownRoutes(app);
  acceptOnlyJson(app);
  await app.register(routes);
  const { port: bound } = await listen(app, address, port);
  let closed: Promise<void> | undefined;
  return {
    url: `http://${address === '::1' ? '[::1]' : address}:${bound}`,
    token,
    close() {
      closing.abort();
      return (closed ??= drain(app, drainMs));
    },
  };
}

async function createApp(logger: Logger): Promise<FastifyInstance> {
  // Loaded here, so that whoever may need a server one day does not wait for it today.
  const { default: fastify } = await import('fastify');
  const app = fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: headersTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
      // Node looks for late requests this often; its own default is half a minute.
      connectionsCheckingInterval: 1000,
    },
    exposeHeadRoutes: false,
    // The guard answers, in our words.
    return503OnClosing: false,
    frameworkErrors: (reason, _request, reply) => void sendFailure(reply, reason, logger),
  });
  app.server.maxConnections = maxConnections;
  app.setErrorHandler((reason, _request, reply) => sendFailure(reply, reason, logger));
  return app;
}

function guard(
  app: FastifyInstance,
  hasToken: (request: IncomingMessage) => boolean,
  closing: AbortSignal,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOf(request.raw);
    if (refusal) return sendError(reply, refusal.error, refusal.status);
    if (!hasToken(request.raw)) {
      void reply.header('www-authenticate', 'Bearer');
      const problem = 'The token is missing or wrong; send it as "Authorization: Bearer <token>".';
      return sendError(reply, new CodeExecutorError('unauthenticated', problem));
    }
    if (closing.aborted) {
      const retry = { retryAfterMs: retryAfterCloseMs };
      return sendError(reply, new CodeExecutorError('unavailable', 'The server is shutting down.', retry));
    }
    return undefined;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing.aborted) void reply.header('connection', 'close');
  });
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

async function drain(app: FastifyInstance, drainMs: number): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), drainMs);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
  }
}
