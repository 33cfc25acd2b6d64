import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import type { LateLogger } from './late-logger.js';

/** Ends the process; only the first reason counts. `isUrgent`: nothing waits for answers any more. */
export type End = (reason: string, options?: { exitCode?: number; isUrgent?: boolean }) => void;

/** How long running executions and requests may go on. */
const drainMs = 30_000;
/** How long sandboxes and upstream servers then have to end. */
const closeMs = 5000;

/**
 * Ends the process in order on SIGTERM, SIGINT and uncaught errors: `close` accepts no more work and lets running work go
 * on for 30 s, then the log is flushed. The exit code is 0 for a signal and 1 for an error. A signal in these 30 s cuts them
 * short, and a second signal ends the process at once, with the exit code that shells expect.
 */
export function onShutdown(
  close: (drainMs: number) => Promise<unknown> | undefined,
  logger: LateLogger,
): End {
  let isEnding = false;
  const end: End = (reason, { exitCode = 0, isUrgent = false } = {}) => {
    if (isEnding) {
      // The client that waited for the running work is gone by now.
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
