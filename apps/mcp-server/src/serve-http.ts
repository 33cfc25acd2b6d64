import type { AuditLog } from '@code-executor/audit-log';
import { type AuditSink, CodeExecutorError } from '@code-executor/contracts';
import { type LoopbackServer, startLoopbackServer, type TokenServer } from '@code-executor/loopback-server';
import { createToolProxy, toolProxyRoutes, type ToolProxyRoutesOptions } from '@code-executor/proxy';

import { complain } from './complain.js';
import { compose, type Services, type Setup } from './compose.js';
import { endWith } from './end-with.js';
import { rateLimitOf, tokenHashes, toolClient } from './http-clients.js';
import { type HttpTokenFile, writeHttpToken } from './http-token-file.js';
import type { LateLogger } from './late-logger.js';

const defaultPort = 3333;
const maxConnections = 1024;
/** Running requests have 5 s of it, upstream servers the rest. */
const closeTimeoutMs = 10_000;

/**
 * Serves the tools over HTTP until a signal comes; says on stderr where, or why not, with exit code 1. Without
 * `needsToken`, to every program on this machine.
 */
export async function serveHttp(setup: Setup & { logger: LateLogger }, needsToken: boolean): Promise<void> {
  const { config, homeDir, logger, servers, version, warnings } = setup;
  for (const warning of warnings) logger.warn({}, warning);
  const clients = needsToken ? tokenHashes(config) : false;
  if (clients === undefined && homeDir === undefined) {
    fail('There is no home folder for the token; set CODE_EXECUTOR_HOME.');
    return;
  }
  const services = compose(setup);
  const door = await open(setup, services, clients);
  if (!door) return;
  let tokenFile: HttpTokenFile | undefined;
  if ('token' in door && homeDir !== undefined) {
    tokenFile = await writeTokenFile(homeDir, door);
    if (!tokenFile) return;
  }
  const close = async () => {
    await tokenFile?.remove();
    await door.close();
    await services.close();
  };
  endWith(close, closeTimeoutMs, logger);
  if (clients === false) {
    const warning =
      '--no-auth: every program on this machine may call what policy.defaultAllowedTools allows; without it, each needs a token.';
    logger.warn({}, warning);
  }
  const access = clients
    ? `for ${Object.keys(clients).length} of http.clients`
    : tokenFile
      ? `token in ${tokenFile.path}`
      : 'no token needed';
  logger.info({ version, servers: Object.keys(servers).length }, `listening on ${door.url}, ${access}`);
}

/** Every request is an execution of its own. */
async function open(
  { config, logger }: Setup,
  { pool, auditLog }: Services,
  clients: Record<string, string> | false | undefined,
): Promise<LoopbackServer | TokenServer | undefined> {
  const { policy, http: { host, port = defaultPort } = {} } = config;
  const routes: Parameters<typeof startLoopbackServer>[0] = async (app) => {
    await app.register(toolProxyRoutes, {
      createProxy: (id) =>
        createToolProxy({
          tools: pool,
          client: toolClient(config, id),
          ...(auditLog && { audit: recordFor(auditLog, id) }),
          ...(policy && { policy }),
          ...(policy?.budget && { budget: policy.budget }),
        }),
      rateLimit: (id) => rateLimitOf(config, id),
      logger,
    } satisfies ToolProxyRoutesOptions);
  };
  const options = { ...(host !== undefined && { host }), port, maxConnections, logger };
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

/** The record of one client's calls says whose they are. */
function recordFor(auditLog: AuditLog, clientId: string | undefined): AuditSink {
  return (event) => auditLog.append({ ...event, ...(clientId !== undefined && { clientId }) });
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
