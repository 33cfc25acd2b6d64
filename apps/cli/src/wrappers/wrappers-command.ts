import { join, resolve } from 'node:path';

import type { LanguageName } from '@code-executor/config';
import { CodeExecutorError, type FailedServer } from '@code-executor/contracts';
import {
  pythonWrappers,
  typeScriptWrappers,
  type WrapperChanges,
  type WrapperForm,
} from '@code-executor/wrapper-gen';
import { Command, Option } from 'commander';

import { openTools } from '../open-tools.js';
import type { Terminal } from '../terminal.js';
import { configuredNames } from '../configured-names.js';
import { generateInto } from './generate-into.js';

/** The languages that modules can be written in. */
const forms: Record<LanguageName, WrapperForm> = { typescript: typeScriptWrappers, python: pythonWrappers };

interface GenerateOptions {
  config?: string;
  server?: string[];
  language?: LanguageName;
  out?: string;
  json?: true;
}

/** `code-executor wrappers`: typed modules for the tools of the configured servers. */
export function wrappersCommand(terminal: Terminal, signal: AbortSignal): Command {
  const wrappers = new Command('wrappers').description(
    'Typed TypeScript and Python modules for the tools of your MCP servers.',
  );
  wrappers
    .command('generate')
    .description('Write the modules; files that would not change are not written again.')
    .option('--server <name...>', 'only these servers; the modules of others stay as they are')
    .addOption(new Option('--language <language>', 'only this language').choices(Object.keys(forms)))
    .option('--out <dir>', 'the directory to write to (default: wrappers/ in the home of Code Executor)')
    .option('--json', 'as JSON: { directory, tools, written, unchanged, deleted, kept, unavailableServers }')
    .addHelpText(
      'after',
      `
Programs that import them call the tools through a running server: code-executor-mcp --http

Examples:
  code-executor wrappers generate
  code-executor wrappers generate --out ./src/mcp --language typescript
  code-executor wrappers generate --out ./src/mcp --server github memory`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { server, language, out, json, config } = command.optsWithGlobals<GenerateOptions>();
      const opened = await openTools(config === undefined ? {} : { config }, terminal);
      try {
        const directory = directoryFor(out, opened.homeDir);
        const only = server && knownServers(server, opened.servers);
        terminal.note('Listing the tools ...');
        const { unavailableServers, ...done } = await generateInto(directory, opened.tools, {
          forms: language ? [forms[language]] : Object.values(forms),
          ...(only && { servers: only }),
          signal,
        });
        if (json) {
          terminal.printJson({ directory, ...done, unavailableServers });
        } else {
          terminal.print(summaryOf(directory, done));
        }
        if (unavailableServers.length > 0) throw notAsked(unavailableServers);
      } finally {
        await opened.close();
      }
    });
  return wrappers;
}

function directoryFor(out: string | undefined, homeDir: string | undefined): string {
  if (out === '') throw new CodeExecutorError('invalid_argument', '--out is empty; name a directory.');
  if (out !== undefined) return resolve(out);
  if (homeDir !== undefined) return join(homeDir, 'wrappers');
  throw new CodeExecutorError('failed_precondition', 'You have no home folder; name a directory with --out.');
}

/** The names, each once. */
function knownServers(names: readonly string[], servers: readonly string[]): string[] {
  const unknown = names.find((name) => !servers.includes(name));
  if (unknown === undefined) return [...new Set(names)];
  const message = `There is no server ${JSON.stringify(unknown.slice(0, 100))}; ${configuredNames(servers)}.`;
  throw new CodeExecutorError('not_found', message);
}

function notAsked(servers: readonly FailedServer[]): CodeExecutorError {
  const lines = servers.map(({ server, reason, fix }) => `  ${server}: ${reason}. ${fix}`);
  return new CodeExecutorError('unavailable', `Not all servers could be asked:\n${lines.join('\n')}`);
}

function summaryOf(directory: string, { tools, ...changes }: WrapperChanges & { tools: number }): string {
  const { written, unchanged, deleted, kept } = changes;
  const lines = [
    ...written.map((path) => `  wrote    ${path}`),
    ...deleted.map((path) => `  deleted  ${path}`),
    ...kept.map((path) => `  kept     ${path}: its server is gone, but you have changed it`),
  ];
  const files = written.length + unchanged.length;
  return [
    `${tools} tools in ${files} files below ${directory}, ${unchanged.length} unchanged`,
    ...lines,
    '',
  ].join('\n');
}
