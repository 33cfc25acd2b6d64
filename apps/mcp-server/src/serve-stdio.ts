import { setImmediate as afterWaitingInput } from 'node:timers/promises';

import { type ProjectFile, readHealthCheck } from '@code-executor/config';

import type { AskUser, TrustQuestion, TrustQuestionOptions } from './ask-trust.js';
import { CurrentOffer } from './current-offer.js';
import { type FirstSettings, readFirstSettings } from './first-settings.js';
import { LazyHost } from './lazy-host.js';
import { KeptCalls } from './mcp/calls/kept-calls.js';
import { connectStdio } from './mcp/connect-stdio.js';
import { type End, onShutdown } from './on-shutdown.js';
import { openTelemetry } from './open-telemetry.js';
import type { ProbeOptions } from './probe-routes.js';
import { placesOf } from './read-settings.js';
import { reportFatal } from './report-fatal.js';
import type { OpenedProbes } from './serve-probes.js';
import { readVersion } from './version.js';
import { watchSettings } from './watch-settings.js';

/** Serves MCP on stdin and stdout until the client leaves or a signal comes. */
export async function serveStdio(configFile: string | undefined): Promise<void> {
  const first = await readFirstSettings(configFile);
  const { settings, problem, logger, read } = first;
  if (problem !== undefined) {
    reportFatal(problem);
    // A person reads stderr; a program waits for an answer to `initialize`, and reads the problem there.
    if (process.stdin.isTTY) return;
  }
  const version = readVersion();
  const host = new LazyHost({ telemetry: () => openTelemetry(version, logger), logger });
  const offer = new CurrentOffer(first, version, host);
  const probes = await openWantedProbes(first, {
    version,
    host: () => host.current,
    maxCalls: () => offer.settings?.config.pool?.maxConcurrent ?? 100,
  });
  if (probes) host.observeWith(probes.observe);

  const kept = new KeptCalls();
  const end = onShutdown(async (drainMs) => {
    kept.close();
    await host.close(drainMs);
    await probes?.close();
  }, logger);
  endWithStreams(end, () => offer.settings !== undefined);
  const connection = connectStdio({
    version,
    // The program that started this one: there is one, with the rights of this user.
    caller: { id: 'stdio', kind: 'stdio' },
    instructions: () => offer.instructions('stdio'),
    tools: (caller) => offer.tools(caller),
    kept,
    logger,
    onCall: trustAsker({ configFile, onTrusted: () => reload(), logger }, () => offer.settings?.projectFiles),
    onClosed: () => end('connection closed', { exitCode: 1, isUrgent: true }),
  });
  // Clients get answers to what they have sent by now first.
  await afterWaitingInput();
  const reload = watchSettings({
    settings,
    places: settings?.places ?? (await placesOf(configFile)),
    read,
    logger,
    async onRead(next, hasChanged) {
      // First, so that a host which a call opens meanwhile begins with these settings.
      offer.use(next, hasChanged);
      if (hasChanged) (await host.opened())?.reload(next);
      if (hasChanged) connection.toolsChanged();
    },
    async onProblem(found) {
      offer.report(found);
      if (offer.settings && found !== undefined) (await host.opened())?.refuse();
    },
  });
  if (!settings) return;
  logger.info({ version, servers: Object.keys(settings.servers).length }, 'The server is ready.');
}

/** Probes and metrics, if the environment asks for them and the configuration can be used. */
async function openWantedProbes(
  { settings, logger }: FirstSettings,
  options: ProbeOptions,
): Promise<OpenedProbes | undefined> {
  const address = settings && readHealthCheck();
  if (!address) return undefined;
  const { openProbes } = await import('./serve-probes.js');
  return openProbes(address, options, logger);
}

/** Ends the server when its client is gone: with exit code 1 if it never could do anything. */
function endWithStreams(end: End, isUsable: () => boolean): void {
  const onEndOfInput = () => end('stdin closed', { exitCode: isUsable() ? 0 : 1 });
  process.stdin.on('end', onEndOfInput);
  process.stdin.on('close', onEndOfInput);
  process.stdout.on('error', () => end('stdout closed', { isUrgent: true }));
}

/** Asks the person about project files that are not trusted. What asks is loaded once there are some. */
function trustAsker(
  options: TrustQuestionOptions,
  projectFiles: () => readonly ProjectFile[] | undefined,
): (askUser: AskUser | undefined) => void {
  let question: Promise<TrustQuestion> | undefined;
  return (askUser) => {
    const files = projectFiles() ?? [];
    if (!askUser || files.every(({ isTrusted }) => isTrusted)) return;
    question ??= import('./ask-trust.js').then((m) => new m.TrustQuestion(options));
    void question.then((asked) => asked.consider(files, askUser));
  };
}
