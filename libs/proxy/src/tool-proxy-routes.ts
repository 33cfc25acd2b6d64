import {
  CodeExecutorError,
  formatTraceparent,
  type Logger,
  newTraceParent,
  parseTraceparent,
  silentLogger,
  type TraceParent,
} from '@code-executor/contracts';
import { clientOf, letRequestIn, sendFailure } from '@code-executor/loopback-server';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

import { answerCall } from './answer-call.js';
import { parseCall } from './parse-call.js';
import { parseListing } from './parse-listing.js';
import { SlidingWindowStore } from './sliding-window-store.js';
import type { ToolProxy } from './tool-proxy.js';

/** How often one client may ask, for calls and for discovery each. */
export interface RateLimit {
  /** Length of the window, in ms; it slides. Default: 60000. */
  windowMs?: number;
  /** Requests within it. Default: 30. */
  maxRequests?: number;
}

export interface ToolProxyRoutesOptions {
  /**
   * Asked once per request: a policy's budget is for one execution, and a request is one. Gets the name of the
   * client, where the server knows several, and the id of the request's trace.
   */
  createProxy: (client: string | undefined, correlationId: string) => ToolProxy;
  /** For all, or by client, each of which has a count of its own; `false` is no limit. Default: 30 requests in 60 s. */
  rateLimit?: RateLimit | false | ((client: string | undefined) => RateLimit | false);
  /** Gets the causes of internal errors. */
  logger?: Logger;
}

/** A route with a count of its own, under the limits of all. */
const counted = { config: { rateLimit: {} } };

/** `POST /` calls a tool, `GET /mcp/tools` lists them. Who may ask is for the server around them to say. */
export const toolProxyRoutes: FastifyPluginAsync<ToolProxyRoutesOptions> = async (app, options) => {
  const { createProxy, rateLimit = {}, logger = silentLogger } = options;
  app.setErrorHandler((reason, _request, reply) => sendFailure(reply, reason, logger));
  if (rateLimit !== false) await limitRates(app, rateLimit);

  app.post('/', counted, async (request, reply) => {
    const call = parseCall(request.body);
    letRequestIn(request);
    const trace = traceOf(request);
    const proxy = createProxy(clientOf(request), trace.traceId);
    const options = { ...untilGone(reply), traceparent: formatTraceparent(trace) };
    const { status, json } = await answerCall(proxy, call, options);
    return reply.code(status).type('application/json').send(json);
  });

  app.get('/mcp/tools', counted, async (request, reply) => {
    const { query, server, offset, limit } = parseListing(request.url);
    letRequestIn(request);
    const { tools, failedServers } = await createProxy(clientOf(request), traceOf(request).traceId).listTools(
      {
        ...untilGone(reply),
        ...(query !== undefined && { query }),
        ...(server !== undefined && { server }),
      },
    );
    if (failedServers.length > 0) {
      const names = failedServers.map((failed) => encodeURIComponent(failed.server));
      void reply.header('x-unavailable-servers', names.join(', '));
    }
    // It has more tools soon.
    if (failedServers.some(({ isStarting }) => isStarting)) void reply.header('retry-after', 1);
    const end = limit === undefined ? undefined : offset + limit;
    return reply.header('x-total-count', tools.length).send(tools.slice(offset, end));
  });
};

async function limitRates(
  app: FastifyInstance,
  rateLimit: Exclude<ToolProxyRoutesOptions['rateLimit'], false | undefined>,
) {
  const limitOf = (request: FastifyRequest) =>
    typeof rateLimit === 'function' ? rateLimit(clientOf(request)) : rateLimit;
  // Loaded here: programs that use no more of this package than the policy need no HTTP.
  const { default: rateLimiter } = await import('@fastify/rate-limit');
  await app.register(rateLimiter, {
    global: false,
    keyGenerator: (request) => clientOf(request) ?? request.ip,
    allowList: (request) => limitOf(request) === false,
    timeWindow: (request: FastifyRequest) => (limitOf(request) || {}).windowMs ?? 60_000,
    max: (request) => (limitOf(request) || {}).maxRequests ?? 30,
    store: SlidingWindowStore,
    errorResponseBuilder,
  });
}

function errorResponseBuilder(request: FastifyRequest, { max, ttl }: { max: number; ttl: number }): Error {
  const client = clientOf(request);
  const own = client === undefined ? '' : ` or http.clients.${client}.rateLimit`;
  const problem = `More than ${max} requests came too fast; wait for Retry-After, or have the operator change security.rateLimit${own}.`;
  return new CodeExecutorError('resource_exhausted', problem, { retryAfterMs: ttl });
}

/** The caller's own, else a new one. */
function traceOf({ headers }: FastifyRequest): TraceParent {
  return parseTraceparent(headers['traceparent']) ?? newTraceParent();
}

/** Ends what a client has asked for when it hangs up. */
function untilGone(reply: FastifyReply): { signal: AbortSignal } {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return { signal: gone.signal };
}
