import { setImmediate as afterWaitingInput } from 'node:timers/promises';

import { type HealthCheckAddress, readHealthCheck } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { parseArguments, usage } from './arguments.js';
import { complain } from './complain.js';
import { enabledLanguages } from './enabled-languages.js';
import { endWith } from './end-with.js';
import { instructionsFor } from './instructions.js';
import { type LateLogger, lateLogger } from './late-logger.js';
import type { LiveServices } from './live-services.js';
import { prepare, type Prepared } from './prepare.js';
import { createServer, serveStdio } from './server.js';
import type { Setup } from './setup.js';
import type { Tool } from './tool.js';
import { readVersion } from './version.js';
import { watchSetup } from './watch-setup.js';

// It ends a process that does not listen for it; what it asks for counts as soon as the files are watched.
process.on('SIGHUP', () => undefined);
const command = parseArguments(process.argv.slice(2));

switch (command.name) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'version':
    process.stdout.write(`${readVersion()}\n`);
    break;
  case 'misuse':
    complain(`${command.problem}\nTry code-executor-mcp --help.`);
    process.exitCode = 2;
    break;
  case 'serve':
    await serve(command.configFile);
    break;
  case 'serve-http': {
    const started = await start(command.configFile);
    if (!started) break;
    if (started.healthCheck) {
      const warning =
        'HEALTH_CHECK_PORT is for stdio: with --http the probes are at http.host and http.port.';
      started.logger.warn({}, warning);
    }
    await (await import('./serve-http.js')).serveHttp(started, command.needsToken);
  }
}

async function serve(configFile: string | undefined): Promise<void> {
  const started = await start(configFile);
  if (!started) return;
  const { logger, reread, healthCheck } = started;
  let { prepared } = started;
  // Loaded when they are needed: clients start servers just to look.
  let live: Promise<LiveServices> | undefined;
  let opened: LiveServices | undefined;
  const probes =
    healthCheck &&
    (await (
      await import('./serve-probes.js')
    ).openProbes(healthCheck, prepared.version, () => opened?.current, logger));
  const setupOf = (read: Prepared): Setup => ({
    ...read,
    ...(probes && { observe: probes.observe }),
    logger,
  });
  const services = async () => {
    live ??= import('./live-services.js').then((m) => m.LiveServices.open(setupOf(prepared)));
    opened ??= await live;
    return opened.current;
  };
  let offered: Promise<Tool[]> | undefined;
  const tools = () =>
    (offered ??= import('./offered-tools.js').then((m) => m.offeredTools(prepared, services)));

  const end = endWith(async (drainMs) => {
    await (await live)?.close(drainMs);
    await probes?.close();
  }, logger);
  process.stdin.on('end', () => end('stdin closed'));
  process.stdin.on('close', () => end('stdin closed'));
  process.stdout.on('error', () => end('stdout closed', { isUrgent: true }));
  const { version, servers, config } = prepared;
  const instructions = instructionsFor(Object.keys(servers), enabledLanguages(config));
  const server = createServer({ version, instructions, tools, logger });
  await serveStdio(server, () => end('connection closed', { exitCode: 1, isUrgent: true }));
  // What clients have sent by now is answered first.
  await afterWaitingInput();
  watchSetup({
    prepared,
    prepare: reread,
    logger,
    async onChange(next) {
      if (live) (await live).reload(setupOf(next));
      prepared = next;
      offered = undefined;
      server.sendToolListChanged();
    },
    async onProblem() {
      (await live)?.refuse();
    },
  });
  logger.info({ version, servers: Object.keys(servers).length }, 'The server is ready.');
}

interface Started {
  prepared: Prepared;
  reread: () => Promise<Prepared>;
  healthCheck: HealthCheckAddress | undefined;
  logger: LateLogger;
}

/** Reads the configuration; what is wrong with it is told on stderr, with exit code 1. */
async function start(configFile: string | undefined): Promise<Started | undefined> {
  const reread = () => prepare(configFile);
  try {
    const healthCheck = readHealthCheck();
    const prepared = await reread();
    const logger = lateLogger(prepared.config.log?.level ?? 'info');
    for (const warning of prepared.warnings) logger.warn({}, warning);
    return { prepared, reread, healthCheck, logger };
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    complain(error.message);
    process.exitCode = 1;
    return undefined;
  }
}
