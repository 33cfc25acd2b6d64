import type { PoolStats } from '@code-executor/client-pool';
import type { Host } from '@code-executor/host';
import { isTrusted } from '@code-executor/loopback-server';
import type { Metrics } from '@code-executor/metrics';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';

export interface ProbeOptions {
  version: string;
  metrics: Metrics;
  /** Undefined as long as nothing has needed it. */
  host: () => Host | undefined;
  /** The places for calls that there are by then. */
  maxCalls: () => number;
  /** Whether `/metrics` needs a token, where the server around it asks for tokens. */
  guardsMetrics: boolean;
}

/** From this share of its places on, the pool takes no more than it has. */
const fullShare = 0.9;
const open = { config: { isOpen: true } };

/** `/live`, `/ready` and `/health` for whoever watches the process, `/metrics` for Prometheus. */
export const probeRoutes: FastifyPluginAsync<ProbeOptions> = (app, options) => {
  const { version, metrics, host, maxCalls, guardsMetrics } = options;
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));

  app.get('/live', { config: { isOpen: true, isLasting: true } }, () => ({
    status: 'alive',
    timestamp: now(),
  }));

  app.get('/ready', open, (_request, reply) => {
    const { active, waiting, max, servers } = host()?.poolStats ?? { ...unused, max: maxCalls() };
    const reason = whyNotReady({ active, waiting, max, servers });
    void reply.code(reason === undefined ? 200 : 503);
    const state = reason === undefined ? { ready: true } : { ready: false, reason };
    return { ...state, timestamp: now(), connectionPool: { active, waiting, max } };
  });

  app.get('/health', open, async (request) => {
    const common = { status: 'ok', uptime: Math.floor(process.uptime()), timestamp: now(), version };
    if (!isTrusted(request)) return common;
    const current = host();
    const size = (await current?.cache.entries())?.length ?? 0;
    // Nothing is wrong with parts that nothing has needed yet.
    const { healthy, mcpClients } = (await current?.health()) ?? {
      healthy: true,
      mcpClients: { connected: 0 },
    };
    return { ...common, healthy, mcpClients, schemaCache: { size } };
  });

  app.get('/metrics', guardsMetrics ? {} : open, async (_request, reply: FastifyReply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  return Promise.resolve();
};

const unused: Pick<PoolStats, 'active' | 'waiting' | 'max' | 'servers'> = {
  active: 0,
  waiting: 0,
  max: 0,
  servers: [],
};

/** Servers that nobody has asked yet may have tools. */
function whyNotReady({ active, waiting, max, servers }: typeof unused): string | undefined {
  if (waiting > 0) return 'Calls wait for a free place.';
  if (max > 0 && active >= max * fullShare) return 'Nearly all places for calls are taken.';
  const isEmpty = ({ state, tools = 0 }: PoolStats['servers'][number]) =>
    state === 'failed' || (state === 'connected' && tools === 0);
  return servers.length > 0 && servers.every(isEmpty) ? 'No server has a tool.' : undefined;
}

function now(): string {
  return new Date().toISOString();
}
