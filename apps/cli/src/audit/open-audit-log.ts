import { join } from 'node:path';

import { AuditLog } from '@code-executor/audit-log';
import { loadConfig } from '@code-executor/config';
import { CodeExecutorError, silentLogger } from '@code-executor/contracts';

import type { Terminal } from '../terminal.js';

/** The record of the configuration, to read; what cannot be read of it is a note. */
export async function openAuditLog(
  { config: file }: { config?: string },
  terminal: Terminal,
): Promise<AuditLog> {
  const { config, homeDir, warnings } = await loadConfig(file === undefined ? {} : { file });
  for (const warning of warnings) terminal.note(warning);
  const path = config.audit?.path ?? (homeDir && join(homeDir, 'audit-logs'));
  if (path === undefined) {
    const message = 'You have no home folder; set audit.path or CODE_EXECUTOR_HOME.';
    throw new CodeExecutorError('failed_precondition', message);
  }
  const warn = (_fields: object, message: string) => terminal.note(message);
  return new AuditLog({ path, logger: { ...silentLogger, warn } });
}
