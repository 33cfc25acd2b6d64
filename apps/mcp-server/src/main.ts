import { setImmediate as afterWaitingInput } from 'node:timers/promises';

import { readHealthCheck } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { parseArguments, usage } from './arguments.js';
import type { TrustQuestion } from './ask-trust.js';
import { complain } from './complain.js';
import { enabledLanguages } from './enabled-languages.js';
import { endWith } from './end-with.js';
import { instructionsFor, instructionsWhenBroken } from './instructions.js';
import { type LateLogger, lateLogger } from './late-logger.js';
import type { LiveServices } from './live-services.js';
import { placesOf, type Prepared, preparing } from './prepare.js';
import { createServer, serveStdio } from './server.js';
import type { Setup } from './setup.js';
import type { Tool } from './tool.js';
import { readVersion } from './version.js';
import { heedSighup, watchSetup } from './watch-setup.js';

heedSighup();
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
    const { prepared, problem, reread, logger } = await start(command.configFile);
    if (!prepared) {
      refuse(problem);
      break;
    }
    if (readHealthCheck()) {
      const warning =
        'HEALTH_CHECK_PORT is for stdio: with --http the probes are at http.host and http.port.';
      logger.warn({}, warning);
    }
    await (await import('./serve-http.js')).serveHttp({ prepared, reread, logger }, command.needsToken);
  }
}

async function serve(configFile: string | undefined): Promise<void> {
  const started = await start(configFile);
  const { logger, reread } = started;
  // What the server works with now, and what is wrong with what the files say by now.
  let { prepared, problem } = started;
  if (problem !== undefined) {
    refuse(problem);
    // A person reads it; a program waits for an answer to `initialize`, and is told there.
    if (process.stdin.isTTY) return;
  }
  const version = readVersion();
  // Loaded when they are needed: clients start servers just to look.
  let live: Promise<LiveServices> | undefined;
  let opened: LiveServices | undefined;
  const healthCheck = prepared && readHealthCheck();
  const probes =
    healthCheck &&
    (await (
      await import('./serve-probes.js')
    ).openProbes(
      healthCheck,
      version,
      {
        services: () => opened?.current,
        maxCalls: () => prepared?.config.pool?.maxConcurrent ?? 100,
      },
      logger,
    ));
  const setupOf = (read: Prepared): Setup => ({
    ...read,
    ...(probes && { observe: probes.observe }),
    logger,
  });
  const servicesOf = async (read: Prepared) => {
    live ??= import('./live-services.js').then((m) => m.LiveServices.open(setupOf(read)));
    opened ??= await live;
    return opened.current;
  };
  const warnings = () => [...(problem === undefined ? [] : [problem]), ...(prepared?.warnings ?? [])];
  let offered: Promise<Tool[]> | undefined;
  const tools = () =>
    (offered ??= import('./offered-tools.js').then((m) => {
      const usable = prepared;
      return usable
        ? m.offeredTools(usable, () => servicesOf(prepared ?? usable), warnings)
        : m.refusingTools(version, problem ?? '');
    }));

  const end = endWith(async (drainMs) => {
    await (await live)?.close(drainMs);
    await probes?.close();
  }, logger);
  const endOfInput = () => end('stdin closed', { exitCode: prepared ? 0 : 1 });
  process.stdin.on('end', endOfInput);
  process.stdin.on('close', endOfInput);
  process.stdout.on('error', () => end('stdout closed', { isUrgent: true }));
  const instructions = prepared
    ? instructionsFor(Object.keys(prepared.servers), enabledLanguages(prepared.config), prepared.unusable)
    : instructionsWhenBroken(problem ?? '');
  let trustQuestion: Promise<TrustQuestion> | undefined;
  const server = createServer({
    version,
    instructions,
    tools,
    logger,
    onCall(askUser) {
      const files = prepared?.projectFiles ?? [];
      if (!askUser || files.every(({ isTrusted }) => isTrusted)) return;
      trustQuestion ??= import('./ask-trust.js').then(
        (m) => new m.TrustQuestion({ configFile, onTrusted: reload, logger }),
      );
      void trustQuestion.then((question) => question.consider(files, askUser));
    },
  });
  await serveStdio(server, () => end('connection closed', { exitCode: 1, isUrgent: true }));
  // What clients have sent by now is answered first.
  await afterWaitingInput();
  const reload = watchSetup({
    prepared,
    places: prepared?.places ?? (await placesOf(configFile)),
    prepare: reread,
    logger,
    async onRead(next, hasChanged) {
      if (hasChanged && live) (await live).reload(setupOf(next));
      prepared = next;
      if (!hasChanged) return;
      offered = undefined;
      server.sendToolListChanged();
    },
    async onProblem(found) {
      problem = found;
      if (prepared === undefined) {
        offered = undefined;
        return;
      }
      if (found !== undefined) (await live)?.refuse();
    },
  });
  if (prepared) {
    logger.info({ version, servers: Object.keys(prepared.servers).length }, 'The server is ready.');
  }
}

interface Started {
  /** Undefined where the configuration cannot be used. */
  prepared: Prepared | undefined;
  /** Why it cannot. */
  problem: string | undefined;
  reread: () => Promise<Prepared>;
  logger: LateLogger;
}

/** Reads the configuration. */
async function start(configFile: string | undefined): Promise<Started> {
  const reread = preparing(configFile);
  try {
    const prepared = await reread();
    const logger = lateLogger(prepared.config.log?.level ?? 'info');
    for (const warning of prepared.warnings) logger.warn({}, warning);
    return { prepared, problem: undefined, reread, logger };
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    return { prepared: undefined, problem: error.message, reread, logger: lateLogger('info') };
  }
}

function refuse(problem: string | undefined): void {
  complain(problem ?? '');
  process.exitCode = 1;
}
