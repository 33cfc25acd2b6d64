import { loadConfig } from '@code-executor/config';
import { CodeExecutorError, type Logger } from '@code-executor/contracts';
import type { Host } from '@code-executor/host';

import { openHost } from '../open-host.js';
import type { Terminal } from '../terminal.js';

/** The host with the configured cache; a cache that cannot be read or written is an error here, not a warning. */
export async function openCache({ config: file }: { config?: string }, terminal: Terminal): Promise<Host> {
  const loaded = await loadConfig(file === undefined ? {} : { file });
  const { config, homeDir, warnings } = loaded;
  for (const warning of warnings) terminal.note(warning);
  if (homeDir === undefined && config.schemaCache?.store === undefined) {
    const message = 'You have no home folder; set schemaCache.store or CODE_EXECUTOR_HOME.';
    throw new CodeExecutorError('failed_precondition', message);
  }
  const warn = (_fields: object, message: string) => {
    terminal.fail(message);
    process.exitCode = 1;
  };
  const logger: Logger = { debug() {}, info() {}, warn, error: warn };
  return openHost(loaded, { logger });
}
