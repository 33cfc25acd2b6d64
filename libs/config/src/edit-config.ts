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
 * Changes the operator's file that `loadConfig` reads with these options, or makes `config.json` in the home of the
 * product (for its user only) where there is none. `plan` gets what the file says, without servers and without the
 * environment, and returns what to change; what it throws leaves everything as it is. Comments and layout stay, the
 * file's rights too; whoever reads meanwhile sees the file before or after. Others that edit wait for their turn.
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
