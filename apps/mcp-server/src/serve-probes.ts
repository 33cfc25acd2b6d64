import type { HealthCheckAddress } from '@code-executor/config';
import type { AuditSink, Logger } from '@code-executor/contracts';
import { boundConnections } from '@code-executor/loopback-server';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';

import { observe } from './observed.js';
import { type ProbeOptions, probeRoutes } from './probes.js';

export interface OpenedProbes {
  /** Takes every event, so that the metrics count it. */
  observe: AuditSink;
  close(): Promise<void>;
}

const paths = ['/health', '/ready', '/live', '/metrics'];

/**
 * Serves the probes alone, to whoever can reach the address: a cluster asks from outside, by any `Host`. They tell
 * nothing but figures. An address that cannot be listened on is logged: the server itself works without.
 */
export async function openProbes(
  address: HealthCheckAddress,
  version: string,
  { host, maxCalls }: Pick<ProbeOptions, 'host' | 'maxCalls'>,
  logger: Logger,
): Promise<OpenedProbes> {
  const metrics = observe(host, logger);
  const app = fastify({ bodyLimit: 1, requestTimeout: 5000, exposeHeadRoutes: false });
  boundConnections(app.server, 64);
  answerMistakes(app, logger);
  await app.register(probeRoutes, { version, metrics, host, maxCalls, guardsMetrics: false });
  try {
    await app.listen(address);
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    const problem = `HEALTH_CHECK_PORT ${address.port} of ${address.host} cannot be listened on (${code}); choose another. There are no probes.`;
    logger.error({}, problem);
  }
  return {
    observe: metrics.record,
    async close() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

function answerMistakes(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const { statusCode = 500 } = error;
    // A body is the mistake of whoever asks.
    if (statusCode < 500) return reply.code(statusCode).send({ error: 'Ask with GET and without a body.' });
    logger.error({ err: error }, 'A probe failed.');
    return reply.code(500).send({ error: 'The probe failed; see the log.' });
  });
  app.setNotFoundHandler((request, reply) => {
    void reply.header('cache-control', 'no-store');
    const [path = ''] = request.url.split('?', 1);
    if (!paths.includes(path)) return reply.code(404).send({ error: `There is only ${paths.join(', ')}.` });
    return reply.code(405).header('allow', 'GET').send({ error: 'This path takes only GET.' });
  });
}
