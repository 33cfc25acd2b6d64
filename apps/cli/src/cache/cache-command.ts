import { Command } from 'commander';

import type { Terminal } from '../terminal.js';
import { formatEntries } from './format-entries.js';
import { openCache } from './open-cache.js';

interface CommonOptions {
  config?: string;
}

/** `code-executor cache`: the tool lists that are kept between runs of the server. */
export function cacheCommand(terminal: Terminal): Command {
  const cache = new Command('cache').description('The tool lists of your MCP servers, kept between runs.');
  cache
    .command('show')
    .description('Show which servers have a list, how large it is and how old.')
    .option('--json', 'as JSON: an array of { key, bytes, storedAt, expiresAt }, times in ms since 1970')
    .addHelpText('after', '\nExamples:\n  code-executor cache show\n  code-executor cache show --json')
    .action(async (options: { json?: true }, command: Command) => {
      const opened = await openCache(command.optsWithGlobals<CommonOptions>(), terminal);
      const entries = await opened.cache.entries().finally(() => opened.close());
      if (options.json) terminal.printJson(entries);
      else if (entries.length === 0)
        terminal.note('There is none. The server keeps one once it has listed tools.');
      else terminal.print(formatEntries(entries, Date.now(), terminal.bold));
    });
  cache
    .command('clear')
    .description('Forget all lists; servers that run keep what they have in memory.')
    .addHelpText('after', '\nExample:\n  code-executor cache clear')
    .action(async (_options: unknown, command: Command) => {
      const opened = await openCache(command.optsWithGlobals<CommonOptions>(), terminal);
      await opened.cache.clear().finally(() => opened.close());
      terminal.print('Cleared\n');
    });
  return cache;
}
