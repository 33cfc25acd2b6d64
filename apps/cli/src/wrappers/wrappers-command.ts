import { join, resolve } from 'node:path';

import { CodeExecutorError, type Language } from '@code-executor/contracts';
import { generateWrappers, type WrapperChanges, writeWrappers } from '@code-executor/wrapper-gen';
import { Command, Option } from 'commander';

import { openTools } from '../open-tools.js';
import type { Terminal } from '../terminal.js';

const languages: readonly Language[] = ['typescript', 'python'];

interface WrapperOptions {
  config?: string;
  language?: Language;
  json?: true;
}

/** `code-executor wrappers`: typed modules for the tools of the configured servers. */
export function wrappersCommand(terminal: Terminal, signal: AbortSignal): Command {
  return new Command('wrappers')
    .description('Write typed TypeScript and Python modules for the tools of your MCP servers.')
    .argument('[DIR]', 'where to; wrappers/ in the home of Code Executor unless told')
    .addOption(new Option('--language <language>', 'only these').choices(languages))
    .option('--json', 'as JSON: { directory, written, unchanged, deleted, kept, unavailableServers }')
    .addHelpText(
      'after',
      `
Programs that import them call the tools through a running server: code-executor-mcp --http

Examples:
  code-executor wrappers
  code-executor wrappers ./src/mcp --language typescript`,
    )
    .action(async (dir: string | undefined, _options: unknown, command: Command) => {
      const { language, json, config } = command.optsWithGlobals<WrapperOptions>();
      const opened = await openTools(config === undefined ? {} : { config }, terminal);
      try {
        const directory = directoryFor(dir, opened.homeDir);
        terminal.note('Listing the tools ...');
        const listing = await opened.pool.listTools({ refresh: true, signal });
        const files = (language ? [language] : languages).flatMap((each) =>
          generateWrappers(listing.tools, each),
        );
        const unavailableServers = listing.failedServers;
        const changes = await writeWrappers(directory, files, { keepsOthers: unavailableServers.length > 0 });
        if (json) {
          terminal.print(`${JSON.stringify({ directory, ...changes, unavailableServers }, null, 2)}\n`);
        } else {
          terminal.print(summaryOf(directory, listing.tools.length, changes));
        }
        if (unavailableServers.length === 0) return;
        throw new CodeExecutorError(
          'unavailable',
          `Not all servers could be asked:\n${unavailableServers.map(({ server, reason, fix }) => `  ${server}: ${reason}. ${fix}`).join('\n')}`,
        );
      } finally {
        await opened.close();
      }
    });
}

function directoryFor(dir: string | undefined, homeDir: string | undefined): string {
  if (dir !== undefined) return resolve(dir);
  if (homeDir !== undefined) return join(homeDir, 'wrappers');
  throw new CodeExecutorError('failed_precondition', 'You have no home folder; name a directory.');
}

function summaryOf(directory: string, tools: number, changes: WrapperChanges): string {
  const { written, unchanged, deleted, kept } = changes;
  const lines = [
    ...written.map((path) => `  wrote    ${path}`),
    ...deleted.map((path) => `  deleted  ${path}`),
    ...kept.map((path) => `  kept     ${path}: its server is gone, but you have changed it`),
  ];
  const files = written.length + unchanged.length;
  return [
    `${tools} tools in ${files} files below ${directory}, ${unchanged.length} as they were`,
    ...lines,
    '',
  ].join('\n');
}
