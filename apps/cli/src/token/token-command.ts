import { loadConfig } from '@code-executor/config';
import { Command } from 'commander';

import type { Terminal } from '../terminal.js';
import { addToolPattern, type Client, clientId, clientsOf } from './client.js';
import { createToken } from './create-token.js';
import { formatClients } from './format-clients.js';
import { revokeToken } from './revoke-token.js';

interface CreateOptions {
  allow?: string[];
  json?: true;
}

/** `code-executor token`: the programs that may use the HTTP interface, each with its own token. */
export function tokenCommand(terminal: Terminal): Command {
  const token = new Command('token').description('The programs that may call your tools over HTTP.');
  token
    .command('create')
    .description('Create a token for a program; it is printed once, and only its hash is stored.')
    .argument('<ID>', 'a name for the program', clientId)
    .option(
      '--allow <tool...>',
      'what it may call: full names, where * stands for any text (default: policy.defaultAllowedTools)',
      addToolPattern,
    )
    .option('--json', 'as JSON: { id, token, file }')
    .addHelpText(
      'after',
      `
Examples:
  code-executor token create dashboard
  code-executor token create dashboard --allow 'mcp__github__get_*' mcp__memory__read_graph`,
    )
    .action(async (id: string, { allow, json }: CreateOptions, command: Command) => {
      const options = { ...fileOf(command), ...(allow && { allow }) };
      const { token: text, file, isFirst } = await createToken(id, options);
      if (json) terminal.printJson({ id, token: text, file });
      else terminal.print(`${text}\n`);
      terminal.note(`Client ${id} is in ${file}, with the hash of this token. The token is shown only once.`);
      terminal.note('A program with generated wrappers finds it in CODE_EXECUTOR_AUTH_TOKEN.');
      if (isFirst) {
        terminal.note('It is the first client, so the server no longer creates an http-token.');
        terminal.note('A running server accepts it after a restart: code-executor-mcp --http');
      } else terminal.note('A server running with this file accepts it within a second or two.');
    });
  token
    .command('list')
    .description('List the programs and what they may call.')
    .option('--json', 'as JSON: an array of { id, policy?, rateLimit? }')
    .addHelpText('after', '\nExamples:\n  code-executor token list\n  code-executor token list --json')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const { config, warnings } = await loadConfig(fileOf(command));
      for (const warning of warnings) terminal.note(warning);
      const clients = clientsOf(config);
      if (json) terminal.printJson([...clients].map(published));
      else if (clients.size === 0)
        terminal.note('No clients are configured. To add one: code-executor token create --help');
      else terminal.print(formatClients(clients, terminal.bold));
    });
  token
    .command('revoke')
    .description('Remove a program; its token no longer works.')
    .argument('<ID>', 'as shown by token list', clientId)
    .addHelpText('after', '\nExample:\n  code-executor token revoke dashboard')
    .action(async (id: string, _options: unknown, command: Command) => {
      const { file, wasLast } = await revokeToken(id, fileOf(command));
      terminal.print(`Revoked ${id}\n`);
      terminal.note(`The client was removed from ${file}.`);
      if (wasLast)
        terminal.note('It was the last client, so the server creates a token in http-token at each start.');
      terminal.note('A server running with this file refuses the token within a second or two.');
    });
  return token;
}

function published([id, { policy, rateLimit }]: [string, Client]) {
  return { id, ...(policy && { policy }), ...(rateLimit && { rateLimit }) };
}

/** The configuration to use, if one was named. */
function fileOf(command: Command): { file?: string } {
  const { config: file } = command.optsWithGlobals<{ config?: string }>();
  return file === undefined ? {} : { file };
}
