import {
  describeRequest,
  distrustFolder,
  type ProjectRequest,
  readProject,
  trustedFiles,
  trustFiles,
} from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';
import { Command } from 'commander';

import { formatTable } from '../format-table.js';
import type { Terminal } from '../terminal.js';

interface TrustOptions {
  yes?: true;
  list?: true;
  remove?: true;
  json?: true;
  config?: string;
}

/** `code-executor trust`: which projects may define what Code Executor starts. */
export function trustCommand(terminal: Terminal): Command {
  return new Command('trust')
    .description("Show what a project's .mcp.json and .code-executor.json ask for, and approve it.")
    .argument('[DIR]', 'the folder of the project', '.')
    .option('--yes', 'approve without being asked')
    .option('--list', 'show everything that is approved')
    .option('--remove', 'remove the approval')
    .option(
      '--json',
      'as JSON, and without being asked: { folder, files, servers, settings, problems, trusted }',
    )
    .addHelpText(
      'after',
      '\nAn approval ends when the file changes.\n\nExamples:\n  code-executor trust\n  code-executor trust ~/src/app --yes\n  code-executor trust --list\n  code-executor trust ~/src/app --remove',
    )
    .action(async (folder: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<TrustOptions>();
      if ([options.list, options.remove, options.yes].filter(Boolean).length > 1) {
        command.error('error: give only one of --yes, --list and --remove');
      }
      if (options.list) await list(terminal, options);
      else if (options.remove) await remove(folder, terminal, options);
      else await approve(folder, terminal, options);
    });
}

async function approve(folder: string, terminal: Terminal, options: TrustOptions): Promise<void> {
  const request = await readProject({
    cwd: folder,
    ...(options.config !== undefined && { file: options.config }),
  });
  const { files, problems } = request;
  if (!options.json) show(request, terminal);
  const isTrusted = () => files.every((file) => file.isTrusted);
  let trusted = problems.length === 0 && isTrusted();
  if (!trusted && problems.length === 0 && (await isApproved(terminal, options))) {
    // Trusts the content that was shown, even if the files have changed since.
    await trustFiles(files);
    trusted = true;
    terminal.note(
      'Approved until one of these files changes. A server running there notices within seconds.',
    );
  } else if (trusted && files.length > 0) terminal.note('This project is approved already.');
  if (options.json) terminal.print(`${JSON.stringify({ ...request, trusted }, null, 2)}\n`);
  if (problems.length > 0) {
    throw new CodeExecutorError('failed_precondition', 'Nothing was approved; fix the problems first.');
  }
  if (!trusted && !options.json) throw new CodeExecutorError('cancelled', 'Nothing was approved.');
}

function show(request: ProjectRequest, terminal: Terminal): void {
  const { files, problems } = request;
  if (files.length === 0 && problems.length === 0) {
    terminal.note('There is nothing to approve: neither .mcp.json nor .code-executor.json exists.');
  } else terminal.print(describeRequest(request));
}

async function isApproved(terminal: Terminal, { yes, json }: TrustOptions): Promise<boolean> {
  if (yes === true) return true;
  if (json === true) return false;
  if (terminal.canAsk) return terminal.ask('Do you trust this project?');
  terminal.note('There is no terminal to ask at; if you trust this project, add --yes.');
  return false;
}

async function list(terminal: Terminal, { json }: TrustOptions): Promise<void> {
  const files = [...(await trustedFiles())].map(([path, sha256]) => ({ path, sha256 }));
  if (json) terminal.print(`${JSON.stringify(files, null, 2)}\n`);
  else if (files.length === 0) terminal.note('Nothing is approved.');
  else {
    const rows = files.map(({ path, sha256 }) => [path, sha256.slice(0, 'sha256:'.length + 12)]);
    terminal.print(formatTable(['File', 'Content'], rows, terminal.bold));
  }
}

async function remove(folder: string, terminal: Terminal, { json }: TrustOptions): Promise<void> {
  const files = await distrustFolder(folder);
  if (json) terminal.print(`${JSON.stringify({ removed: files }, null, 2)}\n`);
  else if (files.length === 0) terminal.note('Nothing was approved there.');
  else terminal.note(`Approval removed for ${files.length === 1 ? '1 file' : `${files.length} files`}.`);
}
