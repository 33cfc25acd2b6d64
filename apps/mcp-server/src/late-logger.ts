import { setImmediate as afterWaitingInput } from 'node:timers/promises';

import type { Logger } from '@code-executor/contracts';

export interface LateLogger extends Logger {
  fatal(fields: object, message: string): void;
  /** Resolves when all lines so far are written. */
  flush(): Promise<void>;
}

const severities = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof severities)[number];

/**
 * Writes to stderr through pino. It is loaded for the first line that is written, and only after the messages that
 * clients have sent by then are answered, because they wait for `initialize`, and nothing waits for a line in the log.
 */
export function lateLogger(level: LogLevel): LateLogger {
  let loaded: Promise<Pick<LateLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>> | undefined;
  let written: Promise<void> = Promise.resolve();
  const load = async () => {
    await afterWaitingInput();
    const { stderrLogger } = await import('./stderr-logger.js');
    return stderrLogger(level);
  };
  const at = (severity: 'debug' | 'info' | 'warn' | 'error' | 'fatal') => {
    const isWanted = severities.indexOf(severity) >= severities.indexOf(level);
    return (fields: object, message: string) => {
      if (!isWanted) return;
      written = (loaded ??= load()).then((logger) => logger[severity](fields, message));
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    flush: () => written,
  };
}
