import { CodeExecutorError } from '@code-executor/contracts';
import { Command, InvalidArgumentError } from 'commander';

import type { Terminal } from '../terminal.js';
import { addPackages, type Wish } from './add-packages.js';
import { formatPackages } from './format-packages.js';
import { openDistribution, openIndex } from './open-index.js';
import { openPython } from './open-python.js';
import type { LockedPackage } from './package-lock.js';
import { isPackageName, normalizeName } from './package-name.js';
import { removePackages } from './remove-packages.js';
import { parseRequirement } from './requirement.js';

/** Options that all commands have. */
interface CommonOptions {
  config?: string;
}

/** `code-executor python`: the packages that sandboxed Python programs can import. */
export function pythonCommand(terminal: Terminal, signal: AbortSignal): Command {
  return new Command('python')
    .description('The packages that sandboxed Python programs can import.')
    .addCommand(addCommand(terminal, signal))
    .addCommand(listCommand(terminal))
    .addCommand(removeCommand(terminal));
}

function addCommand(terminal: Terminal, signal: AbortSignal): Command {
  return new Command('add')
    .description('Add packages and what they need: wheels by path, or packages of the index by name.')
    .argument(
      '<NAME|FILE...>',
      'a package, with or without PEP 440 version specifiers, or a .whl file',
      collect(wishFor),
    )
    .option(
      '--index-url <url>',
      'a simple index, a pyodide-lock.json or a folder of wheels (default: executors.python.indexUrl, or else the packages that were built for this Pyodide)',
    )
    .addHelpText(
      'after',
      `
Examples:
  code-executor python add pandas matplotlib
  code-executor python add ./my_package-1.0-py3-none-any.whl
  code-executor python add --index-url https://pypi.org/simple python-slugify
  code-executor python add "networkx>=3,<4" sympy==1.14.0
  code-executor python add --index-url ./wheels my-package`,
    )
    .action(async (wishes: Wish[], options: { indexUrl?: string }, command: Command) => {
      const { folder, target, indexUrl } = await openPython(
        command.optsWithGlobals<CommonOptions>(),
        terminal,
      );
      const location = options.indexUrl ?? indexUrl;
      const onProgress = terminal.progress.bind(terminal);
      const index =
        location === undefined
          ? openDistribution(target.info, { signal, onProgress })
          : openIndex(location, target.info, { signal, onProgress });
      const added = await addPackages(wishes, { folder, target, index, signal });
      for (const { name, version } of added) terminal.print(`Added ${name} ${version}\n`);
    });
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('List the packages.')
    .option('--json', 'as JSON: an array of { name, version, file, sha256, imports, depends }')
    .addHelpText('after', '\nExamples:\n  code-executor python list\n  code-executor python list --json')
    .action(async (options: { json?: true }, command: Command) => {
      const { folder, target } = await openPython(command.optsWithGlobals<CommonOptions>(), terminal);
      const { info, packages } = await folder.read();
      const list = [...packages.values()];
      if (options.json) terminal.printJson(list.map(published));
      else if (list.length === 0)
        terminal.note('No packages are installed. To add some: code-executor python add --help');
      else terminal.print(formatPackages(list, terminal.bold));
      if (list.length > 0 && info?.abi_version !== target.info.abi_version) {
        terminal.note(
          'They were added for another version of Python, and load again once you have added one of them again.',
        );
      }
    });
}

function removeCommand(terminal: Terminal): Command {
  return new Command('remove')
    .description('Remove packages that no other package needs.')
    .argument('<NAME...>', 'a package', collect(nameFrom))
    .addHelpText('after', '\nExamples:\n  code-executor python remove sympy mpmath')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const { folder } = await openPython(command.optsWithGlobals<CommonOptions>(), terminal);
      await removePackages(new Set(names), folder);
      for (const name of new Set(names)) terminal.print(`Removed ${name}\n`);
    });
}

/** Collects the arguments, each parsed with `read`; an argument that cannot be parsed is a usage error. */
function collect<T>(read: (text: string) => T): (text: string, previous: T[] | undefined) => T[] {
  return (text, previous = []) => {
    try {
      return [...previous, read(text)];
    } catch (error) {
      throw CodeExecutorError.is(error) ? new InvalidArgumentError(error.message) : error;
    }
  };
}

function wishFor(text: string): Wish {
  const isPath = /\.whl$/i.test(text) || /[/\\]/.test(text);
  return isPath ? { file: text } : { requirement: parseRequirement(text) };
}

function nameFrom(text: string): string {
  if (isPackageName(text)) return normalizeName(text);
  const shown = JSON.stringify(text.slice(0, 100));
  throw new CodeExecutorError('invalid_argument', `${shown} is not a package name.`);
}

function published({ name, version, file_name: file, sha256, imports, depends }: LockedPackage) {
  return { name, version, file, sha256, imports, depends };
}
