import { basename } from 'node:path';

import type { StdioServer } from '../options.js';

/** Commands that fetch a package and run it. */
const runners = ['npx', 'bunx', 'pnpx', 'uvx'];
/** Their options that name the package; all others are taken for flags. */
const packageOptions = ['-p', '--package', '--from'];
/** The name of a package, perhaps with a version; not an address, because that may hold a password. */
const packageName = /^(?:@[\w.-]+\/)?[\w.-]+(?:[@=<>~^*\d][\w.@=<>~^*-]*)?$/;

/** The runner and the package that it may have to fetch first, such as `npx` and `@scope/server`; undefined if there is none. */
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
