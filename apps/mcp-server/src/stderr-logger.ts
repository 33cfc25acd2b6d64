import { destination, type Logger, pino } from 'pino';

/** Synchronous, so that no line is lost at the end; stdout belongs to the protocol. */
export function stderrLogger(level: string): Logger {
  return pino({ level }, destination({ fd: 2, sync: true }));
}
