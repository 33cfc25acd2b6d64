import { setImmediate as afterWaitingInput } from 'node:timers/promises';

import { enabledLanguages, readHealthCheck } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';
import type { Host } from '@code-executor/host';

import { parseArguments, usage } from './arguments.js';
import type { TrustQuestion } from './ask-trust.js';
import { complain } from './complain.js';
import { endWith } from './end-with.js';
import { introductions } from './introductions.js';
import { instructionsFor, instructionsWhenBroken } from './instructions.js';
import { type LateLogger, lateLogger } from './late-logger.js';
import type { OpenedHost } from './open-host.js';
import { type FoundSettings, placesOf, settingsReader } from './read-settings.js';
import { createServer, serveStdio } from './server.js';
import type { Tool } from './tool.js';
import { readVersion } from './version.js';
import { heedSighup, watchSettings } from './watch-settings.js';

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
    const { settings, problem, read, logger } = await readFirst(command.configFile);
    if (!settings) {
      refuse(problem);
      break;
    }
    if (readHealthCheck()) {
      const warning =
        'HEALTH_CHECK_PORT is for stdio: with --http the probes are at http.host and http.port.';
      logger.warn({}, warning);
    }
    await (await import('./serve-http.js')).serveHttp({ settings, read, logger }, command.needsToken);
  }
}

async function serve(configFile: string | undefined): Promise<void> {
  const first = await readFirst(configFile);
  const { logger, read } = first;
  // What the server works with now, and what is wrong with what the files say by now.
  let { settings, problem } = first;
  if (problem !== undefined) {
    refuse(problem);
    // A person reads it; a program waits for an answer to `initialize`, and is told there.
    if (process.stdin.isTTY) return;
  }
  const version = readVersion();
  // Loaded when it is needed: clients start servers just to look.
  let opening: Promise<OpenedHost> | undefined;
  let host: Host | undefined;
  const healthCheck = settings && readHealthCheck();
  const probes =
    healthCheck &&
    (await (
      await import('./serve-probes.js')
    ).openProbes(
      healthCheck,
      version,
      { host: () => host, maxCalls: () => settings?.config.pool?.maxConcurrent ?? 100 },
      logger,
    ));
  const hostOf = async (found: FoundSettings) => {
    opening ??= import('./open-host.js').then((m) => m.openHost(found, version, logger, probes?.observe));
    host ??= (await opening).host;
    return host;
  };
  const warnings = () => [...(problem === undefined ? [] : [problem]), ...(settings?.warnings ?? [])];
  let offered: Promise<Tool[]> | undefined;
  const tools = () =>
    (offered ??= (async () => {
      const usable = settings;
      if (!usable) {
        return (await import('./refusing-tools.js')).refusingTools(version, problem ?? '');
      }
      const { offeredTools } = await import('./offered-tools.js');
      return offeredTools({ version, settings: usable, host: () => hostOf(settings ?? usable), warnings });
    })());

  const end = endWith(async (drainMs) => {
    await (await opening)?.close(drainMs);
    await probes?.close();
  }, logger);
  const endOfInput = () => end('stdin closed', { exitCode: settings ? 0 : 1 });
  process.stdin.on('end', endOfInput);
  process.stdin.on('close', endOfInput);
  process.stdout.on('error', () => end('stdout closed', { isUrgent: true }));
  const instructions = settings
    ? instructionsFor(
        Object.keys(settings.servers),
        enabledLanguages(settings.config).map((language) => introductions[language]),
        settings.unusable,
      )
    : instructionsWhenBroken(problem ?? '');
  let trustQuestion: Promise<TrustQuestion> | undefined;
  const server = createServer({
    version,
    // The program that started this one: there is one, with the rights of this user.
    caller: { id: 'stdio', kind: 'stdio' },
    instructions,
    tools,
    logger,
    onCall(askUser) {
      const files = settings?.projectFiles ?? [];
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
  const reload = watchSettings({
    settings,
    places: settings?.places ?? (await placesOf(configFile)),
    read,
    logger,
    async onRead(next, hasChanged) {
      if (hasChanged && opening) (await opening).host.reload(next);
      settings = next;
      if (!hasChanged) return;
      offered = undefined;
      server.sendToolListChanged();
    },
    async onProblem(found) {
      problem = found;
      if (settings === undefined) {
        offered = undefined;
        return;
      }
      if (found !== undefined) (await opening)?.host.refuse();
    },
  });
  if (settings) {
    logger.info({ version, servers: Object.keys(settings.servers).length }, 'The server is ready.');
  }
}

interface FirstRead {
  /** Undefined where the configuration cannot be used. */
  settings: FoundSettings | undefined;
  /** Why it cannot. */
  problem: string | undefined;
  /** Reads it again. */
  read: () => Promise<FoundSettings>;
  logger: LateLogger;
}

/** Reads the configuration. */
async function readFirst(configFile: string | undefined): Promise<FirstRead> {
  const read = settingsReader(configFile);
  try {
    const settings = await read();
    const logger = lateLogger(settings.config.log?.level ?? 'info');
    for (const warning of settings.warnings) logger.warn({}, warning);
    return { settings, problem: undefined, read, logger };
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    return { settings: undefined, problem: error.message, read, logger: lateLogger('info') };
  }
}

function refuse(problem: string | undefined): void {
  complain(problem ?? '');
  process.exitCode = 1;
}
