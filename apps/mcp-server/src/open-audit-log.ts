import { join } from 'node:path';

import { AuditLog } from '@code-executor/audit-log';
import type { Config } from '@code-executor/config';
import { type AuditSink, CodeExecutorError, type Logger } from '@code-executor/contracts';

/** What the parts need of the record. */
export interface Audit {
  /** Absent where nothing is recorded. */
  log?: AuditLog;
  /** Present where no program may run without a record. */
  admit?: AuditSink;
}

/** The record as configured. Opens nothing: the first record does. */
export function openAuditLog(
  { enabled = true, required = false, retentionDays, maxMegabytes, path }: NonNullable<Config['audit']>,
  homeDir: string | undefined,
  logger: Logger,
): Audit {
  if (!enabled) return {};
  const place = path ?? (homeDir && join(homeDir, 'audit-logs'));
  if (place === undefined) {
    const problem = 'There is no home folder for the audit log; set audit.path or CODE_EXECUTOR_HOME.';
    if (required) {
      return { admit: () => Promise.reject(new CodeExecutorError('failed_precondition', problem)) };
    }
    logger.warn({}, problem);
    return {};
  }
  const log = new AuditLog({
    path: place,
    required,
    logger,
    ...(retentionDays !== undefined && { retentionDays }),
    ...(maxMegabytes !== undefined && { maxMegabytes }),
  });
  return { log, ...(required && { admit: (event) => log.append(event) }) };
}
