import { Command } from 'commander';

import type { Terminal } from '../terminal.js';
import { formatEntries } from './format-entries.js';
import { openCache } from './open-cache.js';

interface CommonOptions {
  config?: string;
}

/** `code-executor cache`: the tool lists that are cached between runs of the server. */
export function cacheCommand(terminal: Terminal): Command {
  const cache = new Command('cache').description('The tool lists of your MCP servers, cached between runs.');
  cache
    .command('show')
    .description('Show which servers have a cached list, its size and its age.')
    .option('--json', 'as JSON: an array of { key, bytes, storedAt, expiresAt }, times in ms since 1970')
    .addHelpText('after', '\nExamples:\n  code-executor cache show\n  code-executor cache show --json')
    .action(async (options: { json?: true }, command: Command) => {
      const opened = await openCache(command.optsWithGlobals<CommonOptions>(), terminal);
      const entries = await opened.cache.entries().finally(() => opened.close());
      if (options.json) terminal.printJson(entries);
      else if (entries.length === 0)
        terminal.note('No tool lists are cached yet. The server caches them when it lists tools.');
      else terminal.print(formatEntries(entries, Date.now(), terminal.bold));
    });
  cache
    .command('clear')
    .description('Forget all lists; running servers keep what they have in memory.')
    .addHelpText('after', '\nExample:\n  code-executor cache clear')
    .action(async (_options: unknown, command: Command) => {
      const opened = await openCache(command.optsWithGlobals<CommonOptions>(), terminal);
      await opened.cache.clear().finally(() => opened.close());
      terminal.print('Cleared\n');
    });
  return cache;
}
