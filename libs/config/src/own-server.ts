import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { StdioServerConfig } from './server-entry.js';

const ownName = 'code-executor-mcp';
const ownPackage = '@code-executor/mcp-server';

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
const scriptRunners = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node']);
const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
/** The folder of our package's programs; other files in the package do not start us. */
const programFolders = ['bin', 'dist'];
/** No real command needs more, and every word costs a look at the disk. */
const maxWords = 100;
const maxScriptChars = 10_000;
/** Options of these programs whose value is the next word. */
const optionsWithValue = new Set(
  [
    '-p --package -w --workspace -C --dir --prefix --registry --cache --userconfig',
    '-r --require --import --loader --experimental-loader --conditions --env-file --env-file-if-exists',
    '--title --input-type --tsconfig',
  ].flatMap((line) => line.split(' ')),
);

export interface OwnServerOptions {
  /** Where relative paths begin. */
  cwd: string;
  /** The path of our own bin, by which it is found under any name. */
  ownBin?: string | undefined;
  /** Whether to judge by names alone, without looking at paths, because the definition is not trusted. */
  byNameOnly?: boolean;
}

/**
 * Whether a server definition starts this product itself, which would make it its own upstream server. The command
 * decides that, not the name of the entry.
 */
export async function isOwnServer(server: StdioServerConfig, options: OwnServerOptions): Promise<boolean> {
  const cwd = resolve(options.cwd, server.cwd ?? '.');
  const ownBin = options.ownBin === undefined ? undefined : await realPath(options.ownBin);
  const { byNameOnly = false } = options;
  return startsUs([server.command, ...(server.args ?? [])], { cwd, ownBin, byNameOnly });
}

async function startsUs(line: readonly string[], place: OwnServerOptions): Promise<boolean> {
  const words = line.slice(0, maxWords);
  const [command = '', ...args] = words;
  const program = programName(command);
  if (program === ownName) return true;
  if (program === 'cmd') return startsUs(afterSwitch(args, /^\/[ck]$/i), place);
  if (program === 'env') return startsUs(withoutVariables(args), place);
  if (shells.has(program)) {
    const [script = ''] = afterSwitch(args, /^-[a-z]*c$/);
    return some(commandsOf(script), (inner) => startsUs(inner, place));
  }

  const [first, second] = operands(args);
  const verbs = packageRunners.get(program);
  if (verbs) {
    const target = verbs.length === 0 ? first : first !== undefined && verbs.includes(first) ? second : '';
    if (isOwnPackage(target)) return true;
    if (isPath(target) && (await isOwnPath(target, place))) return true;
    // `npx tsx main.ts`
    if (target && scriptRunners.has(programName(target))) {
      if (await startsUs(words.slice(words.indexOf(target, 1)), place)) return true;
    }
  }
  if (scriptRunners.has(program) && (await isOwnPath(first === 'run' ? second : first, place))) return true;
  if (/[\\/]/.test(command) && (await isOwnPath(command, place))) return true;
  // Whatever comes before: an option with a value that we do not know, or another program that starts it.
  return some(args, (word) => isOwnFile(word, place));
}

async function some<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}

/** The words after the first occurrence of the switch; none if it does not occur. */
function afterSwitch(words: readonly string[], pattern: RegExp): string[] {
  const index = words.findIndex((word) => pattern.test(word));
  return index === -1 ? [] : words.slice(index + 1);
}

/** What `env` starts: the words after its options and variables. */
function withoutVariables(words: readonly string[]): string[] {
  const rest = [...words];
  for (let word = rest[0]; word !== undefined && /^-|^\w+=/.test(word); word = rest[0]) {
    rest.shift();
    if (/^(-u|--unset|-C|--chdir)$/.test(word)) rest.shift();
    // Its value is a whole command line.
    if (/^(-S|--split-string)$/.test(word))
      return [...(commandsOf(rest[0] ?? '')[0] ?? []), ...rest.slice(1)];
  }
  return rest;
}

/** The commands of a shell script, roughly: words between blanks, quotes and operators, without `K=V` and `exec`. */
function commandsOf(script: string): string[][] {
  const commands: string[][] = [[]];
  const tokens = script.slice(0, maxScriptChars).matchAll(/"([^"]*)"|'([^']*)'|([;&|()\n]+)|[^\s;&|()"']+/g);
  for (const [token, inDoubleQuotes, inQuotes, operator] of tokens) {
    if (operator !== undefined) commands.push([]);
    else commands.at(-1)?.push(inDoubleQuotes ?? inQuotes ?? token);
  }
  return commands
    .slice(0, maxWords)
    .map(withoutVariables)
    .map((words) => (words[0] === 'exec' ? words.slice(1) : words))
    .filter((words) => words.length > 0);
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
  // A runner also takes the name of a program if our package is installed.
  return [ownPackage, ownName].some((name) => specifier === name || specifier.startsWith(`${name}@`));
}

/** Whether a package runner reads the word as a path, not as the name of a package. */
function isPath(specifier = ''): boolean {
  return specifier.startsWith('.') || isAbsolute(specifier);
}

/** Whether starting the path starts us: our bin under any name, or the folder of our package. */
async function isOwnPath(path: string | undefined, place: OwnServerOptions): Promise<boolean> {
  if (path === undefined || path === '') return false;
  if (programName(path) === ownName) return true;
  if (place.byNameOnly === true) return false;
  const real = await realPath(resolve(place.cwd, path));
  if (real === undefined) return false;
  if (programName(basename(real)) === ownName) return true;
  return (
    place.ownBin !== undefined && (real === packageFolder(place.ownBin) || isProgramOf(place.ownBin, real))
  );
}

/** Whether the path is a program of our package. Its folder is not, because any server may be given it as an argument. */
async function isOwnFile(word: string, { cwd, ownBin, byNameOnly }: OwnServerOptions): Promise<boolean> {
  if (ownBin === undefined || byNameOnly === true || word.startsWith('-')) return false;
  const real = await realPath(resolve(cwd, word));
  return real !== undefined && isProgramOf(ownBin, real);
}

function isProgramOf(ownBin: string, path: string): boolean {
  if (path === ownBin) return true;
  return programFolders.some((name) => {
    const inside = relative(join(packageFolder(ownBin), name), path);
    return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  });
}

function packageFolder(ownBin: string): string {
  return dirname(dirname(ownBin));
}

function realPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
