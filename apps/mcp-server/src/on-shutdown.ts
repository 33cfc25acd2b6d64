import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import type { LateLogger } from './late-logger.js';

/** Ends the process, once, whatever reason comes first; `isUrgent` where nobody is left to answer. */
export type End = (reason: string, options?: { exitCode?: number; isUrgent?: boolean }) => void;

/** How long executions and requests under way may go on. */
const drainMs = 30_000;
/** How long their processes and the upstream servers then have to end. */
const closeMs = 5000;

/**
 * Has signals and failures end this process in order: no more work is taken, what is under way goes on for 30 s,
 * then `close` and the last lines of the log. The exit code of a signal is 0, that of a failure 1. A signal meanwhile
 * cuts the 30 s short, and a second signal ends it at once, with the code that shells expect.
 */
export function onShutdown(
  close: (drainMs: number) => Promise<unknown> | undefined,
  logger: LateLogger,
): End {
  let isEnding = false;
  const end: End = (reason, { exitCode = 0, isUrgent = false } = {}) => {
    if (isEnding) {
      // Whoever waited for what is under way is gone by now.
      if (isUrgent) void close(0);
      return;
    }
    isEnding = true;
    logger.info({ reason }, 'The server ends.');
    const goOnMs = isUrgent ? 0 : drainMs;
    void Promise.race([close(goOnMs), delay(goOnMs + closeMs)])
      .then(() => logger.flush())
      .finally(() => process.exit(exitCode));
  };
  let isSignalled = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isSignalled) process.exit(128 + constants.signals[signal]);
      isSignalled = true;
      // Clients close stdin, send a signal two seconds later, and kill two seconds after that.
      end(signal, { isUrgent: isEnding });
    });
  }
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'The server failed.');
    end('failure', { exitCode: 1, isUrgent: true });
  });
  return end;
}
