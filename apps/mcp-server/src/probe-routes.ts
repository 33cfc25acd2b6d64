import type { PoolStats } from '@code-executor/client-pool';
import type { Host } from '@code-executor/host';
import type { HttpAnswer, HttpRequest, RouteGroup } from '@code-executor/http-server';
import type { Metrics } from '@code-executor/metrics';

export interface ProbeOptions {
  version: string;
  /** Undefined as long as nothing has needed it. */
  host: () => Host | undefined;
  /** How many calls may run at once, for as long as there is no host. */
  maxCalls: () => number;
}

/** Nothing that is true for longer than a moment. */
const headers = { 'cache-control': 'no-store' };
/** From this share of its places on, the pool takes no more than it has. */
const fullShare = 0.9;

/** `/live`, `/ready` and `/health`, for whatever watches the process; only clients with a token read details. */
export function probeRoutes(options: ProbeOptions): RouteGroup {
  const live = () => ({ body: { status: 'alive', timestamp: now() } });
  return {
    authentication: 'open',
    origins: 'none',
    body: 'none',
    headers,
    routes: [
      { method: 'GET', path: '/live', answersWhileClosing: true, handle: live },
      { method: 'GET', path: '/ready', handle: () => readiness(options) },
      { method: 'GET', path: '/health', handle: (request) => health(request, options) },
    ],
  };
}

/** `/metrics`, for Prometheus. */
export function metricsRoutes(metrics: Metrics, authentication: RouteGroup['authentication']): RouteGroup {
  const render = async () => ({
    headers: { 'content-type': metrics.contentType },
    body: await metrics.render(),
  });
  return {
    authentication,
    origins: 'none',
    body: 'none',
    headers,
    routes: [{ method: 'GET', path: '/metrics', handle: render }],
  };
}

function readiness({ host, maxCalls }: ProbeOptions): HttpAnswer {
  const { active, waiting, max, servers } = host()?.poolStats ?? { ...unused, max: maxCalls() };
  const reason = whyNotReady({ active, waiting, max, servers });
  const state = reason === undefined ? { ready: true } : { ready: false, reason };
  return {
    status: reason === undefined ? 200 : 503,
    body: { ...state, timestamp: now(), connectionPool: { active, waiting, max } },
  };
}

async function health({ isTrusted }: HttpRequest, { version, host }: ProbeOptions): Promise<HttpAnswer> {
  const common = { status: 'ok', uptime: Math.floor(process.uptime()), timestamp: now(), version };
  if (!isTrusted) return { body: common };
  const current = host();
  const size = (await current?.cache.entries())?.length ?? 0;
  // Nothing is wrong with parts that nothing has needed yet.
  const unneeded = { healthy: true, mcpClients: { connected: 0 } };
  const { healthy, mcpClients } = (await current?.health()) ?? unneeded;
  return { body: { ...common, healthy, mcpClients, schemaCache: { size } } };
}

const unused: Pick<PoolStats, 'active' | 'waiting' | 'max' | 'servers'> = {
  active: 0,
  waiting: 0,
  max: 0,
  servers: [],
};

/** A server that was not asked yet may have tools. */
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
