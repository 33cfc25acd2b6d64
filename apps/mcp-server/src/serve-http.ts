import { type AuditSink, CodeExecutorError, type ToolSource } from '@code-executor/contracts';
import {
  type LoopbackServer,
  type OnRefused,
  startLoopbackServer,
  type TokenServer,
} from '@code-executor/loopback-server';
import type { Metrics } from '@code-executor/metrics';
import {
  createToolProxy,
  type ToolProxy,
  toolProxyRoutes,
  type ToolProxyRoutesOptions,
} from '@code-executor/proxy';

import { complain } from './complain.js';
import { endWith } from './end-with.js';
import { rateLimitOf, tokenHashes, toolClient } from './http-clients.js';
import { type HttpTokenFile, writeHttpToken } from './http-token-file.js';
import type { LateLogger } from './late-logger.js';
import { LiveServices } from './live-services.js';
import { countRequests, observe, recordRefusals } from './observed.js';
import { type ProbeOptions, probeRoutes } from './probes.js';
import type { Prepared } from './prepare.js';
import type { Setup } from './setup.js';
import { watchSetup } from './watch-setup.js';

const defaultPort = 3333;
const maxConnections = 1024;
/** As long as executions may go on. */
const drainMs = 30_000;

/** What a server starts with. */
interface Started {
  prepared: Prepared;
  logger: LateLogger;
  reread: () => Promise<Prepared>;
}

/**
 * Serves the tools over HTTP until a signal comes; says on stderr where, or why not, with exit code 1. Without
 * `needsToken`, to every program on this machine.
 */
export async function serveHttp({ prepared, logger, reread }: Started, needsToken: boolean): Promise<void> {
  const { config, homeDir, servers, version } = prepared;
  const hasClients = tokenHashes(config) !== undefined;
  if (needsToken && !hasClients && homeDir === undefined) {
    fail('There is no home folder for the token; set CODE_EXECUTOR_HOME.');
    return;
  }
  const metrics = observe(() => live.current, logger);
  const setupOf = (read: Prepared): Setup => ({ ...read, observe: metrics.record, logger });
  const live: LiveServices = await LiveServices.open(setupOf(prepared));
  const clients = hasClients ? () => tokenHashes(live.setup.config) ?? {} : undefined;
  const refusals = recordRefusals(metrics, () => live.current, logger);
  const door = await open(live, needsToken ? clients : false, metrics, refusals.onRefused);
  if (!door) return;
  let tokenFile: HttpTokenFile | undefined;
  if ('token' in door && homeDir !== undefined) {
    tokenFile = await writeTokenFile(homeDir, door);
    if (!tokenFile) return;
  }
  const close = async (goOnMs: number) => {
    await tokenFile?.remove();
    // What its requests call has to be there until they are answered.
    if (goOnMs > 0) await door.close();
    await refusals.flush();
    await live.close(0);
  };
  endWith(close, logger);
  if (!needsToken) {
    const warning =
      '--no-auth: every program on this machine may call what policy.defaultAllowedTools allows; without it, each needs a token.';
    logger.warn({}, warning);
  }
  const access = !needsToken
    ? 'no token needed'
    : tokenFile
      ? `token in ${tokenFile.path}`
      : `for ${Object.keys(config.http?.clients ?? {}).length} of http.clients`;
  watchSetup({
    prepared,
    prepare: reread,
    places: prepared.places,
    logger,
    onRead(next, hasChanged) {
      if (!hasChanged) return;
      live.reload(setupOf(next));
      if (hasClients !== (tokenHashes(next.config) !== undefined)) {
        logger.warn({}, 'Whether there are http.clients counts from the next start.');
      }
    },
    onProblem(problem) {
      if (problem !== undefined) live.refuse();
    },
  });
  logger.info({ version, servers: Object.keys(servers).length }, `listening on ${door.url}, ${access}`);
}

/** Every request is an execution of its own, under the configuration of that moment. */
async function open(
  live: LiveServices,
  clients: (() => Record<string, string>) | false | undefined,
  metrics: Metrics,
  onRefused: OnRefused,
): Promise<LoopbackServer | TokenServer | undefined> {
  const { config, logger, version } = live.setup;
  const { host, port = defaultPort } = config.http ?? {};
  const routes: Parameters<typeof startLoopbackServer>[0] = async (app) => {
    countRequests(app, metrics);
    await app.register(probeRoutes, {
      version,
      metrics,
      services: () => live.current,
      maxCalls: () => live.current.lasting.pool.stats.max,
      guardsMetrics: true,
    } satisfies ProbeOptions);
    await app.register(toolProxyRoutes, {
      createProxy: (clientId, correlationId) => createClientProxy(live, { clientId, correlationId }),
      rateLimit: (id) => rateLimitOf(live.setup.config, id),
      logger,
    } satisfies ToolProxyRoutesOptions);
  };
  const options = { ...(host !== undefined && { host }), port, maxConnections, drainMs, onRefused, logger };
  try {
    return clients === undefined
      ? await startLoopbackServer(routes, options)
      : await startLoopbackServer(routes, { ...options, clients });
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    fail(`${error.message} The keys are http.host and http.port.`);
    return undefined;
  }
}

/** Who asks, and within which trace. */
interface Asked {
  clientId: string | undefined;
  correlationId: string;
}

function createClientProxy({ current, setup }: LiveServices, asked: Asked): ToolProxy {
  const { pool, audit, admit } = current.lasting;
  const { policy } = setup.config;
  return createToolProxy({
    tools: admit ? recordedFirst(pool, recordFor(admit, asked)) : pool,
    client: toolClient(setup.config, asked.clientId),
    audit: recordFor(audit, asked),
    ...(policy && { policy }),
    ...(policy?.budget && { budget: policy.budget }),
  });
}

/** Calls that are on record before they are made, or not made. */
function recordedFirst(tools: ToolSource, admit: AuditSink): ToolSource {
  return {
    listTools: (options) => tools.listTools(options),
    async callTool(toolName, args, options) {
      const timestamp = new Date().toISOString();
      await admit({ type: 'tool_call', action: 'started', status: 'success', timestamp, toolName });
      return tools.callTool(toolName, args, options);
    },
  };
}

/** The record of a request says whose it is, and what it belongs to. */
function recordFor(audit: AuditSink, { clientId, correlationId }: Asked): AuditSink {
  return (event) => audit({ ...event, correlationId, ...(clientId !== undefined && { clientId }) });
}

/** Closes the door where the token cannot be told. */
async function writeTokenFile(homeDir: string, door: TokenServer): Promise<HttpTokenFile | undefined> {
  try {
    return await writeHttpToken(homeDir, door.token);
  } catch (error) {
    await door.close();
    const code = (error as { code?: unknown }).code;
    fail(`${homeDir}/http-token cannot be written (${String(code)}); see CODE_EXECUTOR_HOME.`);
    return undefined;
  }
}

function fail(problem: string): void {
  complain(problem);
  process.exitCode = 1;
}
