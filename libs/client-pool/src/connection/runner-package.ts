import { basename } from 'node:path';

import type { StdioServer } from '../options.js';

/** Commands that fetch a package and run it. */
const runners = ['npx', 'bunx', 'pnpx', 'uvx'];
/** Options of theirs that name the package; all others are taken for flags. */
const packageOptions = ['-p', '--package', '--from'];
/** The name of a package, perhaps with a version; an address may hold a password. */
const packageName = /^(?:@[\w.-]+\/)?[\w.-]+(?:[@=<>~^*\d][\w.@=<>~^*-]*)?$/;

/** What a server is started with that has to be fetched first, such as `npx` and `@scope/server`; undefined if nothing. */
export function runnerPackage({
  command,
  args = [],
}: StdioServer): { runner: string; name: string } | undefined {
  const runner = basename(command.replaceAll('\\', '/')).replace(/\.(?:cmd|exe)$/i, '');
  if (!runners.includes(runner)) return undefined;
  for (const [index, arg] of args.entries()) {
    const [option = '', value] = arg.split('=', 2);
    const isNamed = packageOptions.includes(option);
    if (!isNamed && arg.startsWith('-')) continue;
    const name = isNamed ? (value ?? args[index + 1] ?? '') : arg;
    return packageName.test(name) ? { runner, name } : undefined;
  }
  return undefined;
}
