import { CodeExecutorError } from '@code-executor/contracts';
import { type LoopbackServer, startLoopbackServer } from '@code-executor/loopback-server';
import { createToolProxy, toolProxyRoutes } from '@code-executor/proxy';

import { complain } from './complain.js';
import { compose, type Services, type Setup } from './compose.js';
import { endWith } from './end-with.js';
import { type HttpTokenFile, writeHttpToken } from './http-token-file.js';
import type { LateLogger } from './late-logger.js';

const defaultPort = 3333;
/** Running requests have 5 s of it, upstream servers the rest. */
const closeTimeoutMs = 10_000;

/** Serves the tools over HTTP until a signal comes; says on stderr where, or why not, with exit code 1. */
export async function serveHttp(setup: Setup & { logger: LateLogger }): Promise<void> {
  const { homeDir, logger, servers, version, warnings } = setup;
  for (const warning of warnings) logger.warn({}, warning);
  if (homeDir === undefined) {
    fail('There is no home folder for the token; set CODE_EXECUTOR_HOME.');
    return;
  }
  const services = compose(setup);
  const door = await open(setup, services);
  if (!door) return;
  let tokenFile: HttpTokenFile;
  try {
    tokenFile = await writeHttpToken(homeDir, door.token);
  } catch (error) {
    await door.close();
    const code = (error as { code?: unknown }).code;
    fail(`${homeDir}/http-token cannot be written (${String(code)}); see CODE_EXECUTOR_HOME.`);
    return;
  }
  const close = async () => {
    await tokenFile.remove();
    await door.close();
    await services.close();
  };
  endWith(close, closeTimeoutMs, logger);
  const place = `listening on ${door.url}, token in ${tokenFile.path}`;
  logger.info({ version, servers: Object.keys(servers).length }, place);
}

/** Every request is an execution of its own: what nobody asks for by name is what the policy gives to all. */
async function open({ config, logger }: Setup, { pool }: Services): Promise<LoopbackServer | undefined> {
  const { http, policy, security } = config;
  const { enabled = true, ...limits } = security?.rateLimit ?? {};
  const createProxy = () =>
    createToolProxy({
      tools: pool,
      ...(policy && { policy }),
      ...(policy?.budget && { budget: policy.budget }),
    });
  try {
    return await startLoopbackServer(
      async (app) => {
        await app.register(toolProxyRoutes, { createProxy, rateLimit: enabled && limits, logger });
      },
      { port: defaultPort, ...http, logger },
    );
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    fail(`${error.message} The keys are http.host and http.port.`);
    return undefined;
  }
}

function fail(problem: string): void {
  complain(problem);
  process.exitCode = 1;
}
