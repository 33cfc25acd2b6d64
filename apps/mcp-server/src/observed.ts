import type { Host } from '@code-executor/host';
import type { OnRefused } from '@code-executor/loopback-server';
import { createMetrics, type Metrics } from '@code-executor/metrics';
import type { Logger, RefusedRequestEvent } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import { RefusalRecords } from './refusal-records.js';

/** The metrics of one server, as soon as it has a host. */
export function observe(host: () => Host | undefined, logger: Logger): Metrics {
  const none = { active: 0, waiting: 0, running: 0, hits: 0, misses: 0, servers: [] };
  return createMetrics(
    {
      pool: () => host()?.poolStats ?? none,
      executor: () => host()?.executor.stats ?? none,
      cache: () => host()?.cache.stats ?? none,
      sandboxes: async () => (await host()?.executor.status()) ?? [],
    },
    { logger },
  );
}

/** Counts every request to these routes. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    metrics.request(method, routeOptions.url ?? 'other', reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}

/** Has on record, and counts, what is not let in; `flush` writes how many had no record of their own. */
export function recordRefusals(
  metrics: Metrics,
  host: () => Host,
  logger: Logger,
): { onRefused: OnRefused; flush: () => Promise<void> } {
  const records = new RefusalRecords(async (event) => {
    await host()
      .auditLog?.append(event)
      .catch((error: unknown) => logger.error({ err: error }, 'The audit record was not written.'));
  });
  return {
    onRefused({ httpStatus, code, ...client }) {
      const event: RefusedRequestEvent = {
        type: refusals.get(httpStatus) ?? 'request_refused',
        status: 'rejected',
        timestamp: new Date().toISOString(),
        errorCode: code,
        clientKind: 'http',
        ...(httpStatus !== undefined && { httpStatus }),
        ...client,
      };
      void metrics.record(event);
      void records.add(event);
    },
    flush: () => records.flush(),
  };
}

const refusals: ReadonlyMap<number | undefined, RefusedRequestEvent['type']> = new Map([
  [401, 'auth_failure'],
  [429, 'rate_limited'],
]);
