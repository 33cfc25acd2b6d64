import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { CodeExecutorError } from '@code-executor/contracts';

import { findConfigFile, homeDirectory, productHome, readOwnFile } from './config-file.js';
import { removeKey, setKey } from './edit-json.js';
import { type LoadConfigOptions, readContent } from './load-config.js';
import { unusable } from './read-file.js';
import type { Config } from './schema.js';

/** One key of the file; without a value it is removed. */
export interface ConfigEdit {
  path: readonly string[];
  value?: unknown;
}

const lockWaitMs = 15_000;
const lockRetryMs = 20;

/**
 * Changes the file that `loadConfig` reads with these options, or makes `config.json` in the home of the product
 * (for its user only) where there is none. `plan` gets what the file says, without the environment, and returns
 * what to change; what it throws leaves everything as it is. Comments and layout stay, the file's rights too;
 * whoever reads meanwhile sees the file before or after. Others that edit wait for their turn.
 *
 * Resolves with the path of the file. Rejects with `invalid_argument` when the file is not valid or would not be,
 * `failed_precondition` when it cannot be read or written, `unavailable` when another process does not let go.
 */
export async function editConfig(
  plan: (config: Config) => readonly ConfigEdit[],
  options: LoadConfigOptions = {},
): Promise<string> {
  const search = { cwd: process.cwd(), home: homeDirectory(), env: process.env, ...options };
  const found = await findConfigFile(search);
  const path = found ? await realpath(found.path) : await makeHome(productHome(search));
  // Git's way: the new content is written into the lock, which then takes the place of the file.
  const part = `${path}.lock`;
  const lock = await takeLock(part, path);
  try {
    const text = await readOwnFile(path);
    const before = text ?? '{}\n';
    const edits = plan(validConfig(before, path, search.env));
    const after = edits.reduce(
      (edited, edit) =>
        edit.value === undefined ? removeKey(edited, edit.path) : setKey(edited, edit.path, edit.value),
      before,
    );
    validConfig(after, path, search.env);
    await lock.writeFile(after);
    if (text !== undefined) await keepRights(lock, path);
    await lock.sync();
    await lock.close();
    await rename(part, path);
  } catch (error) {
    await lock.close().catch(() => {});
    await rm(part, { force: true });
    // What the plan threw is not ours to word.
    throw CodeExecutorError.is(error) || codeOf(error) === undefined ? error : unwritable(path, error);
  }
  return path;
}

async function makeHome(home: string | undefined): Promise<string> {
  if (home === undefined) {
    const message = 'You have no home folder; name a configuration file, or set CODE_EXECUTOR_HOME.';
    throw new CodeExecutorError('failed_precondition', message);
  }
  await mkdir(home, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unwritable(home, error);
  });
  return join(home, 'config.json');
}

async function takeLock(lockPath: string, path: string): Promise<FileHandle> {
  const end = Date.now() + lockWaitMs;
  for (;;) {
    try {
      return await open(lockPath, 'wx', 0o600);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw unwritable(path, error);
      if (Date.now() >= end) throw stillLocked(lockPath, path);
    }
    await wait(lockRetryMs);
  }
}

function stillLocked(lockPath: string, path: string): CodeExecutorError {
  const advice = `Wait until it has ended; if there is none, delete ${lockPath}.`;
  return new CodeExecutorError('unavailable', `Another process is changing file ${path}. ${advice}`);
}

function validConfig(text: string, path: string, env: NodeJS.ProcessEnv): Config {
  const { config, problems } = readContent(text, [], env);
  if (problems.count === 0) return config;
  throw new CodeExecutorError('invalid_argument', problems.report(`Configuration file ${path}`));
}

async function keepRights(file: FileHandle, path: string): Promise<void> {
  const { uid, gid, mode } = await stat(path);
  const own = await file.stat();
  if (uid !== own.uid || gid !== own.gid) await file.chown(uid, gid);
  await file.chmod(mode);
}

function unwritable(path: string, error: unknown): CodeExecutorError {
  return unusable(
    path,
    `cannot be written (${codeOf(error) ?? 'unknown reason'}); look at its rights and its folder's`,
    error,
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
