import type { Host } from '@code-executor/host';

import { callerRoutes } from './caller-routes.js';
import { CurrentOffer } from './current-offer.js';
import { createHostMetrics } from './host-metrics.js';
import { httpAccess } from './http-access.js';
import { callerOf, revokedClients, tokenHashes } from './http-clients.js';
import type { LateLogger } from './late-logger.js';
import { type ListeningServer, listenHttp } from './listen-http.js';
import { KeptCalls } from './mcp/calls/kept-calls.js';
import { createServer, type ServerOptions } from './mcp/create-server.js';
import { McpEndpoint } from './mcp/http/mcp-endpoint.js';
import { mcpRoutes } from './mcp/http/mcp-routes.js';
import { onShutdown } from './on-shutdown.js';
import { closeHost, openHost } from './open-host.js';
import { openTelemetry } from './open-telemetry.js';
import { metricsRoutes, probeRoutes } from './probe-routes.js';
import type { FoundSettings } from './read-settings.js';
import { recordRefusals } from './record-refusals.js';
import { reportFatal } from './report-fatal.js';
import { readVersion } from './version.js';
import { watchSettings } from './watch-settings.js';

const maxConnections = 1024;
/** As long as executions may go on. */
const drainMs = 30_000;

/** What a server starts with. */
interface Started {
  settings: FoundSettings;
  logger: LateLogger;
  /** Reads the settings again. */
  read: () => Promise<FoundSettings>;
}

/**
 * Serves MCP and the tools themselves over HTTP until a signal comes; says on stderr where, or why not, with exit code 1. Without
 * `needsToken`, every program on this machine may call.
 */
export async function serveHttp(started: Started, needsToken: boolean): Promise<void> {
  const { settings, logger } = started;
  const decided = httpAccess(settings, needsToken);
  if ('problem' in decided) {
    reportFatal(decided.problem);
    return;
  }
  const { access } = decided;
  const version = readVersion();
  const telemetry = await openTelemetry(version, logger);
  const metrics = createHostMetrics(() => host, logger);
  const host: Host = openHost({ ...settings, observe: metrics.record, logger });
  const refusals = recordRefusals(metrics, host, logger);
  const offer = new CurrentOffer({ settings, problem: undefined }, version, {
    open: () => Promise.resolve(host),
  });
  const endpoint = openEndpoint(host, offer, version, logger);
  const groups = [
    probeRoutes({ version, host: () => host, maxCalls: () => host.poolStats.max }),
    metricsRoutes(metrics, 'token'),
    callerRoutes(host),
    mcpRoutes(endpoint, () => host.settings.config),
  ];
  const server = await listenHttp(groups, host, access, {
    maxConnections,
    drainMs,
    logger,
    onRefused: refusals.onRefused,
    onAnswered: ({ method, path = 'other', status, durationMs }) =>
      metrics.request(method, path, status, durationMs / 1000),
  });
  if (!server) return;
  const close = async (goOnMs: number) => {
    await server.tokenFile?.remove();
    // What its requests call has to be there until they are answered.
    if (goOnMs > 0) await server.close();
    await endpoint.close();
    await refusals.flush();
    await closeHost(host, 0);
    await telemetry?.close();
  };
  onShutdown(close, logger);
  if (access.kind === 'everybody') {
    const warning =
      '--no-auth: every program on this machine may call what policy.defaultAllowedTools allows; without it, each needs a token.';
    logger.warn({}, warning);
  }
  reloadOnChange(started, { host, offer, endpoint, server });
  const { length } = Object.keys(settings.servers);
  logger.info({ version, servers: length }, `listening on ${server.url}, ${server.accessText}`);
}

/** The parts that new settings concern. */
interface Serving {
  host: Host;
  offer: CurrentOffer;
  endpoint: McpEndpoint;
  server: ListeningServer;
}

function openEndpoint(host: Host, offer: CurrentOffer, version: string, logger: LateLogger): McpEndpoint {
  const onUnrecorded = (error: unknown) => logger.error({ err: error }, 'The audit record was not written.');
  const options: ServerOptions = {
    version,
    instructions: () => offer.instructions('http'),
    tools: (caller) => offer.tools(caller),
    kept: new KeptCalls(),
    logger,
  };
  return new McpEndpoint({
    createServer: (served) => createServer(options, served),
    callerOf: (clientId) => callerOf(host.settings.config, clientId),
    record: (event) => void Promise.resolve(host.audit(event)).catch(onUnrecorded),
    logger,
  });
}

function reloadOnChange({ settings, read, logger }: Started, serving: Serving): void {
  const { host, offer, endpoint } = serving;
  const hasClients = tokenHashes(settings.config) !== undefined;
  watchSettings({
    settings,
    read,
    places: settings.places,
    logger,
    async onRead(next, hasChanged) {
      offer.use(next, hasChanged);
      if (!hasChanged) return;
      const before = host.settings.config;
      host.reload(next);
      await endRevoked(revokedClients(before, next.config), serving);
      await endpoint.toolsChanged();
      if (hasClients !== (tokenHashes(next.config) !== undefined)) {
        logger.warn({}, 'Whether there are http.clients counts from the next start.');
      }
    },
    onProblem(problem) {
      offer.report(problem);
      if (problem !== undefined) host.refuse();
    },
  });
}

/** Ends everything that clients with a token of before have under way. */
async function endRevoked(clients: readonly string[], { host, endpoint, server }: Serving): Promise<void> {
  for (const id of clients) {
    host.executor.cancelAll({ id, kind: 'http' }, 'The token of its client was revoked.');
    server.hangUp?.(id);
    await endpoint.endSessionsOf(id);
  }
}
