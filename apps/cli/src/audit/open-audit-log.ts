import type { AuditLog } from '@code-executor/audit-log';
import { loadConfig } from '@code-executor/config';
import { CodeExecutorError, silentLogger } from '@code-executor/contracts';

import { openHost } from '../open-host.js';
import type { Terminal } from '../terminal.js';

/** Opens the configured audit log for reading; parts that cannot be read become a note. */
export async function openAuditLog(
  { config: file }: { config?: string },
  terminal: Terminal,
): Promise<AuditLog> {
  const loaded = await loadConfig(file === undefined ? {} : { file });
  const { config, warnings } = loaded;
  for (const warning of warnings) terminal.note(warning);
  const warn = (_fields: object, message: string) => terminal.note(message);
  // Old records can be read even if recording was switched off since.
  const settings = { config: { ...config, audit: { ...config.audit, enabled: true }, security: {} } };
  const { auditLog } = await openHost(loaded, { ...settings, logger: { ...silentLogger, warn } });
  if (!auditLog) {
    const message = 'You have no home folder; set audit.path or CODE_EXECUTOR_HOME.';
    throw new CodeExecutorError('failed_precondition', message);
  }
  return auditLog;
}
