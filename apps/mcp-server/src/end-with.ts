import { setTimeout as delay } from 'node:timers/promises';

import type { LateLogger } from './late-logger.js';

/** Ends the process, once, whatever reason comes first. */
export type End = (reason: string, exitCode?: number) => void;

/**
 * Has signals and failures end this process in order: `close`, for which there is `timeoutMs`, then the last
 * lines of the log. The exit code of a signal is 0, that of a failure 1.
 */
export function endWith(
  close: () => Promise<unknown> | undefined,
  timeoutMs: number,
  logger: LateLogger,
): End {
  let isEnding = false;
  const end: End = (reason, exitCode = 0) => {
    if (isEnding) return;
    isEnding = true;
    logger.info({ reason }, 'The server ends.');
    void Promise.race([close(), delay(timeoutMs)])
      .then(() => logger.flush())
      .finally(() => process.exit(exitCode));
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'The server failed.');
    end('failure', 1);
  });
  return end;
}
