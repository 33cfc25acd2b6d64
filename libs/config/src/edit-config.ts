import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { rewriteFile } from '@code-executor/files';

import { findConfigFile, homeDirectory, makeProductHome, maxConfigBytes } from './config-file.js';
import { readContent } from './content.js';
import { removeKey, setKey } from './edit-json.js';
import type { LoadConfigOptions } from './load-config.js';
import { lookUpIn } from './references.js';
import type { Config } from './schema.js';

/** One key of the file; without a value it is removed. */
export interface ConfigEdit {
  path: readonly string[];
  value?: unknown;
}

/**
 * Changes the operator's file that `loadConfig` reads with these options. If there is none, makes `config.json` in the
 * home of the product, readable by its user only. `plan` gets the content of the file, without servers and without the
 * environment, and returns what to change; if it throws, nothing changes. Comments, layout and permissions stay. Other
 * readers see the file before or after the change, and other editors wait for their turn.
 *
 * Resolves with the path of the file. Rejects with `invalid_argument` if the file is or would become invalid,
 * `failed_precondition` if it cannot be read or written, and `unavailable` if another process keeps its lock.
 */
export async function editConfig(
  plan: (config: Config) => readonly ConfigEdit[],
  options: LoadConfigOptions = {},
): Promise<string> {
  const search = { cwd: process.cwd(), home: homeDirectory(), env: process.env, ...options };
  const found = await findConfigFile(search);
  const path = found ? await realpath(found.path) : join(await makeProductHome(search), 'config.json');
  await rewriteFile(path, { maxBytes: maxConfigBytes }, (text) => {
    const before = text ?? '{}\n';
    const edits = plan(validConfig(before, path, search.env));
    const after = edits.reduce(
      (edited, edit) =>
        edit.value === undefined ? removeKey(edited, edit.path) : setKey(edited, edit.path, edit.value),
      before,
    );
    validConfig(after, path, search.env);
    return after;
  });
  return path;
}

function validConfig(text: string, path: string, env: NodeJS.ProcessEnv): Config {
  const { config, problems } = readContent(text, { path, label: 'the configuration' }, [], lookUpIn(env));
  if (problems.count === 0) return config;
  throw new CodeExecutorError('invalid_argument', problems.report(`Configuration file ${path}`));
}
