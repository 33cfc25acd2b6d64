import {
  type Admission,
  type Caller,
  CodeExecutorError,
  type EventMarks,
  type ToolSource,
} from '@code-executor/contracts';
import type { Host } from '@code-executor/host';
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
import { callerOf, rateLimitOf, tokenHashes } from './http-clients.js';
import { type HttpTokenFile, writeHttpToken } from './http-token-file.js';
import type { LateLogger } from './late-logger.js';
import { openHost } from './open-host.js';
import { countRequests, observe, recordRefusals } from './observed.js';
import { type ProbeOptions, probeRoutes } from './probes.js';
import type { FoundSettings } from './read-settings.js';
import { readVersion } from './version.js';
import { watchSettings } from './watch-settings.js';

const defaultPort = 3333;
const maxConnections = 1024;
/** As long as executions may go on. */
const drainMs = 30_000;

/** What a server starts with. */
interface Started {
  settings: FoundSettings;
  logger: LateLogger;
  /** Reads them again. */
  read: () => Promise<FoundSettings>;
}

/**
 * Serves the tools over HTTP until a signal comes; says on stderr where, or why not, with exit code 1. Without
 * `needsToken`, to every program on this machine.
 */
export async function serveHttp({ settings, logger, read }: Started, needsToken: boolean): Promise<void> {
  const { config, homeDir, servers } = settings;
  const version = readVersion();
  const hasClients = tokenHashes(config) !== undefined;
  if (needsToken && !hasClients && homeDir === undefined) {
    fail('There is no home folder for the token; set CODE_EXECUTOR_HOME.');
    return;
  }
  const metrics = observe(() => host, logger);
  const opened = await openHost(settings, version, logger, metrics.record);
  const host: Host = opened.host;
  const clients = hasClients ? () => tokenHashes(host.settings.config) ?? {} : undefined;
  const refusals = recordRefusals(metrics, () => host, logger);
  const parts = { host, version, metrics, logger, onRefused: refusals.onRefused };
  const door = await open(parts, needsToken ? clients : false);
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
    await opened.close(0);
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
  watchSettings({
    settings,
    read,
    places: settings.places,
    logger,
    onRead(next, hasChanged) {
      if (!hasChanged) return;
      host.reload(next);
      if (hasClients !== (tokenHashes(next.config) !== undefined)) {
        logger.warn({}, 'Whether there are http.clients counts from the next start.');
      }
    },
    onProblem(problem) {
      if (problem !== undefined) host.refuse();
    },
  });
  logger.info({ version, servers: Object.keys(servers).length }, `listening on ${door.url}, ${access}`);
}

interface DoorParts {
  host: Host;
  version: string;
  metrics: Metrics;
  logger: LateLogger;
  onRefused: OnRefused;
}

/** Every request is an execution of its own, under the configuration of that moment. */
async function open(
  { host, version, metrics, logger, onRefused }: DoorParts,
  clients: (() => Record<string, string>) | false | undefined,
): Promise<LoopbackServer | TokenServer | undefined> {
  const { host: address, port = defaultPort } = host.settings.config.http ?? {};
  const routes: Parameters<typeof startLoopbackServer>[0] = async (app) => {
    countRequests(app, metrics);
    await app.register(probeRoutes, {
      version,
      metrics,
      host: () => host,
      maxCalls: () => host.poolStats.max,
      guardsMetrics: true,
    } satisfies ProbeOptions);
    await app.register(toolProxyRoutes, {
      createProxy: (id, correlationId) =>
        createCallerProxy(host, { caller: callerOf(host.settings.config, id), correlationId }),
      rateLimit: (id) => rateLimitOf(host.settings.config, id),
      logger,
    } satisfies ToolProxyRoutesOptions);
  };
  const options = {
    ...(address !== undefined && { host: address }),
    port,
    maxConnections,
    drainMs,
    onRefused,
    logger,
  };
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
  caller: Caller;
  correlationId: string;
}

function createCallerProxy({ tools, audit, admit, settings }: Host, asked: Asked): ToolProxy {
  const { policy } = settings.config;
  return createToolProxy({
    tools: admit ? recordedFirst(tools, admit, asked) : tools,
    caller: asked.caller,
    isDirect: true,
    audit: (event) => audit({ ...event, ...marksOf(asked) }),
    ...(policy && { policy }),
    ...(policy?.budget && { budget: policy.budget }),
  });
}

/** Calls that are on record before they are made, or not made. */
function recordedFirst(tools: ToolSource, admit: Admission, asked: Asked): ToolSource {
  return {
    listTools: (options) => tools.listTools(options),
    async callTool(toolName, args, options) {
      const timestamp = new Date().toISOString();
      await admit({
        type: 'tool_call',
        action: 'started',
        status: 'success',
        timestamp,
        toolName,
        ...marksOf(asked),
      });
      return tools.callTool(toolName, args, options);
    },
  };
}

/** The record of a request says whose it is, and what it belongs to. */
function marksOf({ caller, correlationId }: Asked): Omit<EventMarks, 'timestamp'> {
  return { correlationId, clientId: caller.id, clientKind: caller.kind };
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
