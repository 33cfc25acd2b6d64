import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';
import { makePrivateFolder, readRegularFile, unusableFile } from '@code-executor/files';

import { isWithin, realPathOf } from './real-path.js';
import { readVariable } from './references.js';

/** The size limit of the configuration, and of the list of trusted projects. */
export const maxConfigBytes = 1024 * 1024;

export interface FileSearch {
  cwd: string;
  home: string | undefined;
  env: NodeJS.ProcessEnv;
  /** The only file to look at, instead of the environment and the usual places. */
  file?: string | undefined;
}

/** Where the configuration is looked for, and to whom it belongs. */
export interface ConfigPlaces {
  /** The operator's files, of which the first that exists counts. */
  own: string[];
  /** The file of the working directory, a suggestion; absent if one file was named, and in the home folder. */
  project?: string;
  /** Files that are ignored because they are in the working directory. */
  ignored: string[];
}

/** The user's home folder; undefined for users without one. */
export function homeDirectory(): string | undefined {
  try {
    const home = homedir();
    // A relative path would lead into the working directory.
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** The folder for everything that the product writes; undefined for users without a home, unless it is set. */
export function productHome({ cwd, home, env }: Omit<FileSearch, 'file'>): string | undefined {
  const named = pathVariable(env, 'CODE_EXECUTOR_HOME');
  if (named !== undefined) return resolve(cwd, named);
  return home === undefined ? undefined : join(home, '.code-executor');
}

/** Makes the folder, readable by its user only. */
export async function makeProductHome(search: Omit<FileSearch, 'file'>): Promise<string> {
  const folder = productHome(search);
  if (folder === undefined) {
    const message = 'You have no home folder; name a configuration file, or set CODE_EXECUTOR_HOME.';
    throw new CodeExecutorError('failed_precondition', message);
  }
  if (await isOfProject(folder, search)) {
    throw unusableFile(folder, 'lies in the working directory; set CODE_EXECUTOR_HOME to a folder elsewhere');
  }
  await makePrivateFolder(folder).catch((error: unknown) => {
    const code = systemCodeOf(error) ?? 'unknown reason';
    throw unusableFile(folder, `cannot be made (${code}); look at the rights of the folder around it`, error);
  });
  return folder;
}

/**
 * Whether the author of the working directory could have put the path there. A home folder that is the working
 * directory, or is inside it, still belongs to the user.
 */
export async function isOfProject(path: string, { cwd, home }: Omit<FileSearch, 'file'>): Promise<boolean> {
  const folder = await realPathOf(resolve(cwd));
  // Everything is inside the root, which no project brought.
  if (folder === dirname(folder)) return false;
  if (home !== undefined && isWithin(await realPathOf(home), folder)) return false;
  return isWithin(await realPathOf(path), folder);
}

/** The operator's configuration file that counts; undefined if there is none in the usual places. */
export async function findConfigFile(
  search: FileSearch,
): Promise<{ path: string; text: string } | undefined> {
  const { own } = await configPlaces(search);
  for (const path of own) {
    const text = await readOwnFile(path);
    if (text !== undefined) return { path, text };
  }
  const named = namedPlace(search);
  if (named === undefined) return undefined;
  const advice =
    search.file === undefined
      ? 'correct or unset CODE_EXECUTOR_CONFIG_PATH'
      : 'correct the path given with --config';
  throw unusableFile(named, `does not exist; ${advice}`);
}

export async function configPlaces(search: FileSearch): Promise<ConfigPlaces> {
  const named = namedPlace(search);
  if (named !== undefined) return { own: [named], ignored: [] };
  const own: string[] = [];
  const ignored: string[] = [];
  for (const path of usualPlaces(search)) ((await isOfProject(path, search)) ? ignored : own).push(path);
  const folder = await realPathOf(resolve(search.cwd));
  const isHome = search.home !== undefined && (await realPathOf(search.home)) === folder;
  return { own, ignored, ...(!isHome && { project: join(folder, '.code-executor.json') }) };
}

/** The only place to look at, if one was named. */
function namedPlace({ cwd, env, file }: FileSearch): string | undefined {
  const named = file ?? pathVariable(env, 'CODE_EXECUTOR_CONFIG_PATH');
  return named === undefined ? undefined : resolve(cwd, named);
}

function usualPlaces(search: FileSearch): string[] {
  const { home, env } = search;
  const xdg = readVariable(env, 'XDG_CONFIG_HOME') ?? '';
  const inHome = (...segments: string[]) => (home === undefined ? undefined : join(home, ...segments));
  // The XDG specification says to ignore relative paths.
  const configHome = isAbsolute(xdg) ? xdg : inHome('.config');
  const ownFolder = productHome(search);
  return [
    inHome('.code-executor.json'),
    configHome && join(configHome, 'code-executor', 'config.json'),
    ownFolder && join(ownFolder, 'config.json'),
  ].filter((path) => path !== undefined);
}

function pathVariable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = readVariable(env, name);
  if (value !== '') return value;
  throw new CodeExecutorError('invalid_argument', `${name} is empty; set it to a path or unset it.`);
}

/**
 * The text of a file, undefined if there is none. Refuses a file that others can write or replace, because they could
 * use it to give us commands.
 */
export async function readOwnFile(path: string): Promise<string | undefined> {
  const file = await readRegularFile(path, { maxBytes: maxConfigBytes, writableBy: 'operator' });
  return file?.text();
}
