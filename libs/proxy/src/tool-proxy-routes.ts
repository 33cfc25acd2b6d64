import { type CallOptions, CodeExecutorError, type Logger, silentLogger } from '@code-executor/contracts';
import { sendFailure } from '@code-executor/loopback-server';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';

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
  /** Asked once per request: a policy's budget is for one execution, and a request is one. */
  createProxy: () => ToolProxy;
  /** `false` is no limit. Default: 30 requests in 60 s. */
  rateLimit?: RateLimit | false;
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

  app.post('/', counted, async ({ body }, reply) => {
    const { status, json } = await answerCall(createProxy(), parseCall(body), untilGone(reply));
    return reply.code(status).type('application/json').send(json);
  });

  app.get('/mcp/tools', counted, async ({ url }, reply) => {
    const { query, server, offset, limit } = parseListing(url);
    const { tools } = await createProxy().listTools({
      ...untilGone(reply),
      ...(query !== undefined && { query }),
      ...(server !== undefined && { server }),
    });
    const end = limit === undefined ? undefined : offset + limit;
    return reply.header('x-total-count', tools.length).send(tools.slice(offset, end));
  });
};

async function limitRates(app: FastifyInstance, { windowMs = 60_000, maxRequests = 30 }: RateLimit) {
  // Loaded here: programs that use no more of this package than the policy need no HTTP.
  const { default: rateLimiter } = await import('@fastify/rate-limit');
  await app.register(rateLimiter, {
    global: false,
    timeWindow: windowMs,
    max: maxRequests,
    store: SlidingWindowStore,
    errorResponseBuilder,
  });
}

function errorResponseBuilder(_request: unknown, { max, ttl }: { max: number; ttl: number }): Error {
  const problem = `More than ${max} requests came too fast; wait for Retry-After, or have the operator change security.rateLimit.`;
  return new CodeExecutorError('resource_exhausted', problem, { retryAfterMs: ttl });
}

/** Ends what a client has asked for when it hangs up. */
function untilGone(reply: FastifyReply): Required<CallOptions> {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return { signal: gone.signal };
}
