import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';

import { ownershipProblem, readRegularFile, unusable } from './read-file.js';
import { readVariable } from './references.js';

const maxBytes = 1024 * 1024;

export interface FileSearch {
  cwd: string;
  home: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Looked at alone, before the environment and the usual places. */
  file?: string | undefined;
}

/** The user's home folder; undefined for users without one. */
export function homeDirectory(): string | undefined {
  try {
    return homedir() || undefined;
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

/** The configuration file that counts; undefined if there is none in the usual places. */
export async function findConfigFile(
  search: FileSearch,
): Promise<{ path: string; text: string } | undefined> {
  const named = namedPlace(search);
  for (const path of named === undefined ? usualPlaces(search) : [named]) {
    const text = await readOwnFile(path);
    if (text !== undefined) return { path, text };
  }
  if (named === undefined) return undefined;
  const advice =
    search.file === undefined
      ? 'correct or unset CODE_EXECUTOR_CONFIG_PATH'
      : 'correct the path given with --config';
  throw unusable(named, `does not exist; ${advice}`);
}

/** Where the configuration file is looked for: the first that is there counts. */
export function configPlaces(search: FileSearch): string[] {
  const named = namedPlace(search);
  return named === undefined ? usualPlaces(search) : [named];
}

/** The one place that is looked at, where one was named. */
function namedPlace({ cwd, env, file }: FileSearch): string | undefined {
  const named = file ?? pathVariable(env, 'CODE_EXECUTOR_CONFIG_PATH');
  return named === undefined ? undefined : resolve(cwd, named);
}

function usualPlaces(search: FileSearch): string[] {
  const { cwd, home, env } = search;
  const xdg = readVariable(env, 'XDG_CONFIG_HOME') ?? '';
  const inHome = (...segments: string[]) => (home === undefined ? undefined : join(home, ...segments));
  // The XDG specification has relative paths ignored.
  const configHome = isAbsolute(xdg) ? xdg : inHome('.config');
  const ownFolder = productHome(search);
  return [
    join(cwd, '.code-executor.json'),
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
 * The text of a file, undefined if there is none. What others can write or replace, they could use to hand us
 * commands.
 */
export async function readOwnFile(path: string): Promise<string | undefined> {
  const file = await readRegularFile(path, { maxBytes, followLink: false });
  if (!file) return undefined;
  const problem = ownershipProblem(file.ownership);
  if (problem !== undefined) throw unusable(path, problem);
  return file.text;
}
