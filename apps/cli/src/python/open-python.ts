import { join, resolve } from 'node:path';

import { loadConfig } from '@code-executor/config';
import { CodeExecutorError } from '@code-executor/contracts';

import type { Terminal } from '../terminal.js';
import { PackageFolder } from './package-folder.js';
import { readTarget, type Target } from './target.js';

export interface OpenedPython {
  folder: PackageFolder;
  target: Target;
  /** The configured index, if any. */
  indexUrl?: string;
}

/** Reads the configuration and the installed Pyodide; creates nothing. */
export async function openPython(
  { config: file }: { config?: string },
  terminal: Terminal,
): Promise<OpenedPython> {
  const { config, homeDir, warnings } = await loadConfig(file === undefined ? {} : { file });
  for (const warning of warnings) terminal.note(warning);
  const { packagesDir, indexUrl } = config.executors?.python ?? {};
  const path = packagesDir ?? (homeDir === undefined ? undefined : join(homeDir, 'python', 'packages'));
  if (path === undefined) {
    throw new CodeExecutorError(
      'failed_precondition',
      'You have no home folder; set executors.python.packagesDir or CODE_EXECUTOR_HOME.',
    );
  }
  const target = await readTarget();
  const folder = new PackageFolder(resolve(path), target);
  return { folder, target, ...(indexUrl !== undefined && { indexUrl }) };
}
