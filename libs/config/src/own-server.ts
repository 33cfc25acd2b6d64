import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';

import type { StdioServerConfig } from './server-entry.js';

const ownName = 'code-executor-mcp';

/** Programs that fetch and run a package, with the words that may stand before its name. */
const packageRunners = new Map([
  ['npx', []],
  ['pnpx', []],
  ['bunx', []],
  ['npm', ['exec', 'x']],
  ['pnpm', ['dlx', 'exec']],
  ['yarn', ['dlx', 'exec']],
  ['bun', ['x']],
]);
const scriptRunners = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx']);
/** Options of all of these whose value is the next word. */
const optionsWithValue = new Set(
  '-p --package -w --workspace -C --dir --prefix --registry --cache --userconfig -r --require --import --loader'.split(
    ' ',
  ),
);

export interface OwnServerOptions {
  /** Where relative paths begin. */
  cwd: string;
  /** The path of our own bin, by which it is found under any name. */
  ownBin?: string | undefined;
}

/**
 * True if a server definition starts this product itself, which would make it its own upstream server.
 * Decided by what would run, not by what the entry is called.
 */
export async function isOwnServer(server: StdioServerConfig, options: OwnServerOptions): Promise<boolean> {
  const words = [server.command, ...(server.args ?? [])];
  if (programName(words[0]) === 'cmd') words.splice(0, words.findIndex((word) => /^\/[ck]$/i.test(word)) + 1);
  const [command = '', ...args] = words;
  const program = programName(command);
  const inFolder = { ...options, cwd: resolve(options.cwd, server.cwd ?? '.') };
  if (program === ownName) return true;

  const verbs = packageRunners.get(program);
  if (verbs) {
    const [first, second] = operands(args);
    if (verbs.length === 0) return isOwnPackage(first);
    if (first !== undefined && verbs.includes(first)) return isOwnPackage(second);
  }
  if (scriptRunners.has(program)) {
    const [first, second] = operands(args);
    return isOwnPath(first === 'run' ? second : first, inFolder);
  }
  return /[\\/]/.test(command) && isOwnPath(command, inFolder);
}

/** `npx` for `C:\node\npx.cmd`. */
function programName(command = ''): string {
  const file = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return file.replace(/\.(exe|cmd|bat|ps1|[cm]?js)$/i, '');
}

/** The words that are neither options nor their values. */
function operands(args: readonly string[]): string[] {
  return args.filter((word, index) => !word.startsWith('-') && !optionsWithValue.has(args[index - 1] ?? ''));
}

function isOwnPackage(specifier = ''): boolean {
  return specifier === ownName || specifier.startsWith(`${ownName}@`);
}

async function isOwnPath(path: string | undefined, { cwd, ownBin }: OwnServerOptions): Promise<boolean> {
  if (path === undefined) return false;
  if (programName(path) === ownName) return true;
  const real = await realPath(resolve(cwd, path));
  if (real === undefined) return false;
  return (
    programName(basename(real)) === ownName || (ownBin !== undefined && real === (await realPath(ownBin)))
  );
}

function realPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
