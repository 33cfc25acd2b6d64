import type { Logger } from '../logger.js';

export interface LogEntry {
  level: keyof Logger;
  fields: object;
  message: string;
}

/** A `Logger` that keeps what it is given. */
export function recordingLogger(): Logger & {
  readonly entries: LogEntry[];
  /** What people see: the messages of all levels but `debug`. */
  readonly messages: string[];
} {
  const entries: LogEntry[] = [];
  const messages: string[] = [];
  const record = (level: keyof Logger) => (fields: object, message: string) => {
    entries.push({ level, fields, message });
    if (level !== 'debug') messages.push(message);
  };
  return {
    entries,
    messages,
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };
}
