import { join } from 'node:path';

import { loadConfig } from '@code-executor/config';
import { CodeExecutorError, type Logger } from '@code-executor/contracts';
import { SchemaCache } from '@code-executor/schema-cache';

import type { Terminal } from '../terminal.js';

/** The cache of the configuration; what it cannot read or write is an error here, not a warning. */
export async function openCache(
  { config: file }: { config?: string },
  terminal: Terminal,
): Promise<SchemaCache<unknown>> {
  const { config, homeDir, warnings } = await loadConfig(file === undefined ? {} : { file });
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
  return new SchemaCache<unknown>({
    ...(homeDir !== undefined && { file: join(homeDir, 'schema-cache.json') }),
    ...config.schemaCache,
    logger,
  });
}
