import { clientOf } from '@code-executor/loopback-server';
import { createMetrics, type Metrics } from '@code-executor/metrics';
import type { AuditEvent, AuditEventType, AuditSink, Logger } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import type { Services } from './compose.js';

/** The metrics of one server, whichever services it has at the moment. */
export function observe(services: () => Services | undefined, logger: Logger): Metrics {
  const none = { active: 0, waiting: 0, running: 0, hits: 0, misses: 0, servers: [] };
  return createMetrics(
    {
      pool: () => services()?.pool.stats ?? none,
      executor: () => services()?.executor.stats ?? none,
      cache: () => services()?.cache.stats ?? none,
      sandboxes: async () => (await services()?.executor.status()) ?? [],
    },
    { logger },
  );
}

/** Counts every request to these routes, and has on record those that were not let in. */
export function watchRequests(
  app: FastifyInstance,
  metrics: Metrics,
  audit: () => AuditSink | undefined,
): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ip } = request;
    metrics.request(method, routeOptions.url ?? 'other', reply.statusCode, reply.elapsedTime / 1000);
    const type = refusals.get(reply.statusCode);
    if (!type) return;
    const clientId = clientOf(request);
    const event: AuditEvent = { type, status: 'rejected', timestamp: new Date().toISOString(), clientIp: ip };
    await audit()?.({ ...event, ...(clientId !== undefined && { clientId }) });
  });
}

const refusals: ReadonlyMap<number, AuditEventType> = new Map([
  [401, 'auth_failure'],
  [429, 'rate_limited'],
]);
