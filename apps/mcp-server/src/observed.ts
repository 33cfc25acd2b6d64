import { clientOf } from '@code-executor/loopback-server';
import { createMetrics, type Metrics } from '@code-executor/metrics';
import type { AuditEvent, AuditEventType, Logger } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import type { Services } from './compose.js';
import { RefusalRecords } from './refusal-records.js';

/** The metrics of one server, whichever services it has at the moment. */
export function observe(services: () => Services | undefined, logger: Logger): Metrics {
  const none = { active: 0, waiting: 0, running: 0, hits: 0, misses: 0, servers: [] };
  return createMetrics(
    {
      pool: () => services()?.lasting.pool.stats ?? none,
      executor: () => services()?.executor.stats ?? none,
      cache: () => services()?.lasting.cache.stats ?? none,
      sandboxes: async () => (await services()?.executor.status()) ?? [],
    },
    { logger },
  );
}

/** Counts every request to these routes, and has on record those that were not let in. */
export function watchRequests(
  app: FastifyInstance,
  metrics: Metrics,
  services: () => Services,
  logger: Logger,
): void {
  const records = new RefusalRecords(async (event) => {
    await services()
      .lasting.auditLog?.append(event)
      .catch((error: unknown) => logger.error({ err: error }, 'The audit record was not written.'));
  });
  app.addHook('onClose', () => records.flush());
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ip } = request;
    metrics.request(method, routeOptions.url ?? 'other', reply.statusCode, reply.elapsedTime / 1000);
    const type = refusals.get(reply.statusCode);
    // A result that is too large is answered with 429, too, but is no matter of waiting.
    if (!type || (type === 'rate_limited' && !reply.hasHeader('retry-after'))) return;
    const clientId = clientOf(request);
    const event: AuditEvent = { type, status: 'rejected', timestamp: new Date().toISOString(), clientIp: ip };
    void metrics.record(event);
    await records.add({ ...event, ...(clientId !== undefined && { clientId }) });
  });
}

const refusals: ReadonlyMap<number, AuditEventType> = new Map([
  [401, 'auth_failure'],
  [429, 'rate_limited'],
]);
