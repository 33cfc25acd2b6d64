import { fileURLToPath } from 'node:url';

import { findServers, loadConfig } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import { parseArguments, usage } from './arguments.js';
import { complain } from './complain.js';
import type { Services, Setup } from './compose.js';
import { enabledLanguages } from './enabled-languages.js';
import { endWith } from './end-with.js';
import { instructionsFor } from './instructions.js';
import { type LateLogger, lateLogger } from './late-logger.js';
import { createServer, serveStdio } from './server.js';
import type { Tool } from './tool.js';
import { readVersion } from './version.js';

/** How long programs and upstream servers have to end when the server does. */
const closeTimeoutMs = 5000;
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
    const setup = await prepare(command.configFile);
    if (setup) await (await import('./serve-http.js')).serveHttp(setup, command.needsToken);
  }
}

async function serve(configFile: string | undefined): Promise<void> {
  const setup = await prepare(configFile);
  if (!setup) return;
  const { config, logger, warnings, version, servers } = setup;
  const instructions = instructionsFor(Object.keys(servers), enabledLanguages(config));
  for (const warning of warnings) logger.warn({}, warning);
  // Loaded when they are needed: clients start servers just to look.
  let composed: Promise<Services> | undefined;
  const services = () => (composed ??= import('./compose.js').then(({ compose }) => compose(setup)));
  let offered: Promise<Tool[]> | undefined;
  const tools = () => (offered ??= import('./offered-tools.js').then((m) => m.offeredTools(setup, services)));

  const end = endWith(() => composed?.then((parts) => parts.close()), closeTimeoutMs, logger);
  process.stdin.on('end', () => end('stdin closed'));
  process.stdin.on('close', () => end('stdin closed'));
  process.stdout.on('error', () => end('stdout closed'));
  const server = createServer({ version, instructions, tools, logger });
  await serveStdio(server, () => end('connection closed', 1));
  logger.info({ version, servers: Object.keys(servers).length }, 'The server is ready.');
}

async function prepare(configFile: string | undefined) {
  try {
    const { config, warnings, homeDir } = await loadConfig(
      configFile === undefined ? {} : { file: configFile },
    );
    const ownBin = fileURLToPath(new URL('../bin/code-executor-mcp.js', import.meta.url));
    const found = await findServers({ config, ownBin });
    const logger = lateLogger(config.log?.level ?? 'info');
    return {
      config,
      servers: found.servers,
      warnings: [...warnings, ...found.warnings],
      version: readVersion(),
      logger,
      ...(homeDir !== undefined && { homeDir }),
    } satisfies Setup & { logger: LateLogger };
  } catch (error) {
    if (!CodeExecutorError.is(error)) throw error;
    complain(error.message);
    process.exitCode = 1;
    return undefined;
  }
}
