import type { HealthCheckAddress } from '@code-executor/config';
import { type Logger, type AuditSink, CodeExecutorError } from '@code-executor/contracts';
import { type HttpServer, startOpenServer } from '@code-executor/http-server';

import { createHostMetrics } from './host-metrics.js';
import { metricsRoutes, type ProbeOptions, probeRoutes } from './probe-routes.js';

export interface OpenedProbes {
  /** Takes every event, so that the metrics count it. */
  observe: AuditSink;
  close(): Promise<void>;
}

/**
 * Serves the probes and the metrics alone, to every client that reaches the address. The log says if that address
 * cannot be listened on, and the server itself works without probes.
 */
export async function openProbes(
  address: HealthCheckAddress,
  options: ProbeOptions,
  logger: Logger,
): Promise<OpenedProbes> {
  const metrics = createHostMetrics(options.host, logger);
  const groups = [probeRoutes(options), metricsRoutes(metrics, 'open')];
  let server: HttpServer | undefined;
  try {
    server = await startOpenServer(groups, { ...address, drainMs: 0, logger });
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    logger.error({}, `HEALTH_CHECK_PORT: ${error.message} There are no probes.`);
  }
  return { observe: metrics.record, close: async () => server?.close() };
}
