import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { clientOf } from './client-check.js';
import type { RateLimit, RouteGroup } from './routes.js';
import { SlidingWindowStore } from './sliding-window-store.js';

export const defaultLimit = { windowMs: 60_000, maxRequests: 30 };

/** Counts the requests of each client to each route of this scope, and answers those above the limit with 429. */
export async function limitRates(
  scope: FastifyInstance,
  rateLimit: NonNullable<RouteGroup['rateLimit']>,
): Promise<void> {
  const limitOf = (request: FastifyRequest): RateLimit | false =>
    typeof rateLimit === 'function' ? rateLimit(clientOf(request)) : rateLimit;
  const { default: rateLimiter } = await import('@fastify/rate-limit');
  await scope.register(rateLimiter, {
    global: false,
    keyGenerator: (request) => clientOf(request) ?? request.ip,
    allowList: (request) => limitOf(request) === false,
    timeWindow: (request: FastifyRequest) => (limitOf(request) || {}).windowMs ?? defaultLimit.windowMs,
    max: (request) => (limitOf(request) || {}).maxRequests ?? defaultLimit.maxRequests,
    store: SlidingWindowStore,
    errorResponseBuilder: (request, { max, ttl }) => tooMany(max, ttl, (limitOf(request) || {}).remedy),
  });
}

/** As the configuration of a Fastify route: it has a count of its own. */
export const countedAlone = { rateLimit: {} };

/** Says how long a client has to wait, and what else it can do. */
export function tooMany(max: number, retryAfterMs: number, remedy: string | undefined): Error {
  const alternative = remedy === undefined ? '' : `, or ${remedy}`;
  const problem = `More than ${max} requests came too fast; wait for Retry-After${alternative}.`;
  return new CodeExecutorError('resource_exhausted', problem, { retryAfterMs });
}
