import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';

import { CodeExecutorError, type Logger, systemCodeOf } from '@code-executor/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { boundConnections } from './connections.js';
import { sendFailure } from './error-reply.js';
import { acceptOnlyJson } from './json-body.js';
import { answerUnknownRoutes } from './known-routes.js';
import { answerUnreadable, type OnRefused, refusedConnection, reportRefusals } from './refusals.js';
import { registerGroup } from './register-group.js';
import { guard, type Guard } from './request-guard.js';
import type { RouteGroup } from './routes.js';
import { RunningRequests } from './running-requests.js';
import { isStreamed, onStreamBegun } from './streamed.js';
import { dropUnreadAnswers } from './unread-answers.js';

/** A request that was answered, whatever the answer. */
export interface AnsweredRequest {
  method: string;
  /** The path of its route; undefined if no route matches. */
  path: string | undefined;
  status: number;
  /** Until the whole answer was sent; of a stream, until it began. */
  durationMs: number;
}

/** What every kind of server has. */
export interface ListenerOptions {
  /**
   * How many connections may be open at once. A further one takes the place of one that has sent no whole request, or
   * is idle; if there is none, it is closed. Default: 64.
   */
  maxConnections?: number;
  /** How long running requests may go on after `close`, in ms. Default: 5000. */
  drainMs?: number;
  /**
   * Gets every request that is not let in (status 400 to 499, unless the handler records it itself), and connections
   * that are closed to make room.
   */
  onRefused?: OnRefused;
  /** Gets every request that was answered. */
  onAnswered?: (answered: AnsweredRequest) => void;
  /** Gets what clients must not see: the causes of internal errors. Default: silence. */
  logger?: Logger;
}

/** Where to listen, whom to let in, and what to serve. */
export interface ListenerParts extends ListenerOptions {
  address: string;
  port: number;
  guard: Guard;
  groups: readonly RouteGroup[];
  logger: Logger;
}

export interface Listener {
  readonly port: number;
  /** Hangs up on a client of this name: all that it has under way ends. */
  readonly hangUp: (clientId: string) => void;
  readonly close: () => Promise<void>;
}

const maxHeaderBytes = 16_384;
/** A client on the same machine or network has its headers ready; a slow one holds a connection. */
const headersTimeoutMs = 5000;
const requestTimeoutMs = 30_000;
const maxRequestsPerSocket = 1000;

/** Rejects with `failed_precondition` if it cannot listen there. */
export async function openListener(parts: ListenerParts): Promise<Listener> {
  const { address, port, groups, onRefused, onAnswered, maxConnections = 64, drainMs = 5000 } = parts;
  const app = await createApp(parts.logger, onRefused);
  boundConnections(app.server, maxConnections, (socket) => onRefused?.(refusedConnection(socket)));
  if (onRefused) reportRefusals(app, onRefused);
  if (onAnswered) reportAnswers(app, onAnswered);
  const closing = new AbortController();
  // Each open stream may listen to it; Node warns of a leak from the eleventh on.
  setMaxListeners(0, closing.signal);
  guard(app, parts.guard, closing.signal);
  const running = new RunningRequests(app);
  dropUnreadAnswers(app);
  answerUnknownRoutes(app, groups);
  acceptOnlyJson(app);
  for (const group of groups) await registerGroup(app, group, closing.signal);
  const bound = await listen(app, address, port);
  let closed: Promise<void> | undefined;
  const close = () => {
    closing.abort();
    return (closed ??= drain(app, running, drainMs));
  };
  return { port: bound.port, hangUp: (clientId) => running.hangUp(clientId), close };
}

async function createApp(logger: Logger, onRefused: OnRefused | undefined): Promise<FastifyInstance> {
  // Loaded here, because a program that may open a server later must not wait for it at its start.
  const { default: fastify } = await import('fastify');
  const app = fastify({
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

function reportAnswers(app: FastifyInstance, onAnswered: (answered: AnsweredRequest) => void): void {
  const report = ({ method, routeOptions }: FastifyRequest, { raw, elapsedTime }: FastifyReply) =>
    onAnswered({ method, path: routeOptions.url, status: raw.statusCode, durationMs: elapsedTime });
  app.addHook('onRequest', (request, reply, done) => {
    onStreamBegun(request, () => report(request, reply));
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (!isStreamed(request)) report(request, reply);
    done();
  });
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<AddressInfo> {
  try {
    await app.listen({ host, port });
    return app.server.address() as AddressInfo;
  } catch (cause) {
    await app.close();
    const code = systemCodeOf(cause);
    if (code === undefined) throw cause;
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    throw new CodeExecutorError('failed_precondition', `Port ${port} of ${host} ${why}; choose another.`, {
      cause,
    });
  }
}

/** Goes on listening while a request runs, so that new clients are asked to come again instead of being cut off. */
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
