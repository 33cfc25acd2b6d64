import { join } from 'node:path';

import { AuditLog } from '@code-executor/audit-log';
import { type Admission, type AuditSink, CodeExecutorError, type Logger } from '@code-executor/contracts';

import { auditOptions } from './options.js';
import type { HostSettings } from './settings.js';

/** Where events go. */
export interface EventRecord {
  /** Absent if nothing is recorded. */
  log?: AuditLog;
  /** Passes an event to the log and to `observe`. */
  audit: AuditSink;
  /** Present if nothing may be done without a record of it. */
  admit?: Admission;
}

/** The record as configured. Opens nothing before the first event. */
export function openRecord(
  settings: HostSettings,
  observe: AuditSink | undefined,
  logger: Logger,
): EventRecord {
  const { log, admit } = openLog(settings, logger);
  return {
    ...(log && { log }),
    ...(admit && { admit }),
    async audit(event) {
      void observe?.(event);
      await log?.append(event);
    },
  };
}

function openLog({ config, homeDir }: HostSettings, logger: Logger): Pick<EventRecord, 'log' | 'admit'> {
  const { enabled = true, required = false, path } = config.audit ?? {};
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
  const log = new AuditLog({ ...auditOptions(config), path: place, logger });
  return { log, ...(required && { admit: (event) => log.append(event) }) };
}
