import type { LoginStatus } from '@code-executor/client-pool';
import { Command } from 'commander';

import { formatTable } from '../format-table.js';
import type { Terminal } from '../terminal.js';
import { openBrowser } from './open-browser.js';
import { type OpenedLogins, openLogins } from './open-logins.js';

interface LoginOptions {
  list?: true;
  remove?: true;
  browser: boolean;
  json?: true;
  config?: string;
}

/** `code-executor login`: logins at remote MCP servers. */
export function loginCommand(terminal: Terminal, signal: AbortSignal): Command {
  return new Command('login')
    .description('Log in at a remote MCP server that wants it, in your browser.')
    .argument('[SERVER]', 'its name in your configuration')
    .option('--list', 'show the remote servers and the logins at them')
    .option('--remove', 'forget the login at the server')
    .option('--no-browser', 'only print the address to open')
    .option(
      '--json',
      'as JSON, one object in each line: { server, authorizationUrl }, then { server, scopes }',
    )
    .addHelpText(
      'after',
      `
The address must be opened on this machine. A running server uses the login at once.

Examples:
  code-executor login github
  code-executor login github --no-browser
  code-executor login --list
  code-executor login github --remove`,
    )
    .action(async (server: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>();
      if (options.list && options.remove) command.error('error: give only one of --list and --remove');
      if (server === undefined && !options.list) command.error('error: give the name of a server, or --list');
      const logins = await openLogins(options, terminal);
      if (server === undefined || options.list) await list(logins, terminal, options);
      else if (options.remove) await remove(server, logins, terminal, options);
      else await logIn(server, logins, { terminal, signal, options });
    });
}

async function logIn(
  name: string,
  logins: OpenedLogins,
  { terminal, signal, options }: { terminal: Terminal; signal: AbortSignal; options: LoginOptions },
): Promise<void> {
  const { beginLogin } = await import('@code-executor/client-pool');
  const server = logins.find(name);
  try {
    const { url, finished } = await beginLogin({ name, server, folder: logins.folder, signal });
    if (options.json) printLine(terminal, { server: name, authorizationUrl: url });
    else terminal.print(`${url}\n`);
    const opens = options.browser && !options.json && terminal.canAsk;
    if (opens) openBrowser(url);
    terminal.note(
      opens
        ? 'Finish the login in your browser; if it did not open, open this address on this machine.'
        : 'Open this address in a browser of this machine, and finish the login there.',
    );
    const { scopes } = await finished;
    await logins.record(name, 'succeeded');
    if (options.json) printLine(terminal, { server: name, scopes });
    else terminal.note(`Logged in at ${name}${scopes.length > 0 ? ` for ${scopes.join(', ')}` : ''}.`);
  } catch (error) {
    await logins.record(name, 'failed');
    throw error;
  }
}

async function remove(
  name: string,
  logins: OpenedLogins,
  terminal: Terminal,
  { json }: LoginOptions,
): Promise<void> {
  const { removeLogin } = await import('@code-executor/client-pool');
  const removed = await removeLogin(logins.folder, logins.find(name));
  if (removed) await logins.record(name, 'removed');
  if (json) printLine(terminal, { server: name, removed });
  else if (removed) {
    terminal.note(
      `The login at ${name} is forgotten here. To end it there, too, see your account at the server.`,
    );
  } else terminal.note(`There was no login at ${name}.`);
}

async function list(logins: OpenedLogins, terminal: Terminal, { json }: LoginOptions): Promise<void> {
  const { loginStatus } = await import('@code-executor/client-pool');
  const all = [...logins.servers].map(([name, server]) => loginStatus(logins.folder, name, server));
  const statuses = await Promise.all(all);
  if (json) terminal.printJson(statuses);
  else if (statuses.length === 0) terminal.note('No remote servers are configured.');
  else
    terminal.print(formatTable(['Server', 'Login', 'Scopes', 'Until'], statuses.map(toRow), terminal.bold));
}

function toRow({
  server,
  state,
  scopes = [],
  missingScopes = [],
  expiresAt,
  canRenew,
}: LoginStatus): string[] {
  const shown = state === 'expired' && canRenew ? 'renewed when used' : state;
  const lacks = missingScopes.length > 0 ? ` (lacks ${missingScopes.join(' ')})` : '';
  return [server, shown, `${scopes.join(' ')}${lacks}`, canRenew ? '' : (expiresAt ?? '')];
}

function printLine(terminal: Terminal, value: object): void {
  terminal.print(`${JSON.stringify(value)}\n`);
}
