import { CodeExecutorError, printable } from '@code-executor/contracts';
import {
  approveChanges,
  forgetServer,
  type PendingChange,
  readChanges,
  readPins,
} from '@code-executor/tool-pins';
import { Command } from 'commander';

import { formatTable } from '../format-table.js';
import type { Terminal } from '../terminal.js';
import { formatChanges } from './format-changes.js';
import { openPins } from './open-pins.js';

interface ToolsOptions {
  config?: string;
  all?: true;
  yes?: true;
  json?: true;
}

/** `code-executor tools`: definitions of tools that have changed since they were seen first. */
export function toolsCommand(terminal: Terminal): Command {
  const tools = new Command('tools').description(
    'Definitions of tools that changed after they were seen first.',
  );
  tools
    .command('approve')
    .description('Show what changed, and approve it.')
    .argument('[NAME]', 'a tool by its full name, or a server (default: everything that changed)')
    .option('--all', 'everything that changed; needed with --yes if there is no name')
    .option('--yes', 'approve without being asked')
    .option('--json', 'as JSON, and without being asked: { changes, approved }')
    .addHelpText(
      'after',
      '\nExamples:\n  code-executor tools approve\n  code-executor tools approve mcp__github__create_issue\n  code-executor tools approve github --yes\n  code-executor tools approve --all --yes',
    )
    .action((name: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ToolsOptions>();
      if (name !== undefined && options.all) command.error('error: give either a name or --all');
      if (name === undefined && options.yes && !options.all) {
        command.error('error: --yes needs a name, or --all');
      }
      return approve(name, terminal, options);
    });
  tools
    .command('changes')
    .description('Show what changed and is not approved.')
    .argument('[NAME]', 'a tool by its full name, or a server (default: all)')
    .option('--json', 'as JSON: an array of { server, tool, pinnedAt, changedAt, what, change }')
    .action(async (name: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ToolsOptions>();
      const { file } = await openPins(options, terminal);
      show(matching(await readChanges(file), name), terminal, options);
    });
  tools
    .command('pins')
    .description('Show which tools are pinned.')
    .option('--json', 'as JSON: an array of { server, identity, tools: [{ tool, pinnedAt, isChanged }] }')
    .action((_options: unknown, command: Command) => list(terminal, command.optsWithGlobals<ToolsOptions>()));
  tools
    .command('forget')
    .description('Remove the pins of a server; its tools are pinned as they are when they are seen next.')
    .argument('<SERVER>', 'the name of the server')
    .action(async (server: string, _options: unknown, command: Command) => {
      const { file } = await openPins(command.optsWithGlobals<ToolsOptions>(), terminal);
      const count = await forgetServer(file, server);
      if (count === 0) throw new CodeExecutorError('not_found', `No tool of server ${server} is pinned.`);
      terminal.print(`Removed ${count === 1 ? '1 pin' : `${count} pins`}\n`);
    });
  return tools;
}

async function approve(name: string | undefined, terminal: Terminal, options: ToolsOptions): Promise<void> {
  const pins = await openPins(options, terminal);
  const changes = matching(await readChanges(pins.file), name);
  if (!options.json) show(changes, terminal, {});
  const isWanted = changes.length > 0 && (await isApproved(terminal, options));
  // Approves what was shown: a tool that changes meanwhile is not approved.
  const approved = isWanted ? await approveChanges(pins.file, changes) : [];
  if (approved.length > 0) await pins.recordApproved(approved);
  if (options.json) {
    terminal.printJson({ changes: changes.map(shown), approved: approved.map(({ tool }) => tool) });
  } else if (approved.length > 0) {
    terminal.note(`Approved ${approved.length === 1 ? '1 tool' : `${approved.length} tools`}.`);
  }
  if (isWanted && approved.length < changes.length) {
    throw new CodeExecutorError('failed_precondition', 'Some tools changed again; look at them first.');
  }
  if (!isWanted && changes.length > 0 && !options.json) {
    throw new CodeExecutorError('cancelled', 'Nothing was approved.');
  }
}

async function isApproved(terminal: Terminal, { yes, json }: ToolsOptions): Promise<boolean> {
  if (yes) return true;
  if (json) return false;
  if (terminal.canAsk) return terminal.ask('Do you approve this?');
  terminal.note('There is no terminal to ask at; if you approve this, add --yes.');
  return false;
}

function show(changes: readonly PendingChange[], terminal: Terminal, { json }: ToolsOptions): void {
  if (json) terminal.printJson(changes.map(shown));
  else if (changes.length === 0) terminal.note('Nothing has changed.');
  else terminal.print(formatChanges(changes, terminal.bold));
}

function shown({ server, tool, pinnedAt, changedAt, what, change }: PendingChange): object {
  return { server, tool, pinnedAt, changedAt, what, change };
}

function matching(changes: PendingChange[], name: string | undefined): PendingChange[] {
  if (name === undefined) return changes;
  return changes.filter(({ tool, server }) => tool === name || server === name);
}

async function list(terminal: Terminal, options: ToolsOptions): Promise<void> {
  const { file } = await openPins(options, terminal);
  const servers = await readPins(file);
  if (options.json) terminal.printJson(servers);
  else if (servers.length === 0) terminal.note('No tool is pinned.');
  else {
    const rows = servers.flatMap(({ server, tools }) =>
      tools.map(({ tool, pinnedAt, isChanged }) =>
        [server, tool, pinnedAt.slice(0, 10), isChanged ? 'changed' : ''].map((text) => printable(text)),
      ),
    );
    terminal.print(formatTable(['Server', 'Tool', 'Pinned', 'Now'], rows, terminal.bold));
  }
}
