import type { FastifyInstance } from 'fastify';

import { clientOf } from './client-check.js';
import { defaultLimit, tooMany } from './limit-rates.js';
import type { RouteGroup } from './routes.js';
import { SlidingWindowStore } from './sliding-window-store.js';

/** Counts the requests of each client by what their bodies ask for, and answers those above the limit with 429. */
export function limitByBody(scope: FastifyInstance, limitOf: NonNullable<RouteGroup['limitByBody']>): void {
  const store = new SlidingWindowStore();
  scope.addHook('preHandler', (request, _reply, done) => {
    const limit = limitOf(clientOf(request), request.body);
    if (!limit) {
      done();
      return;
    }
    const { name, windowMs, maxRequests, remedy } = { ...defaultLimit, ...limit };
    const key = `${name} ${clientOf(request) ?? request.ip}`;
    const { current, ttl } = store.count(key, windowMs, maxRequests);
    done(current > maxRequests ? tooMany(maxRequests, ttl, remedy) : undefined);
  });
}
