import type { Logger } from '@code-executor/contracts';

/** The transport and the server behind it report the same error. */
const logged = new WeakSet<Error>();

/** Logs what is wrong with messages, each error once. */
export function logErrors(logger: Logger): (error: Error) => void {
  return (error) => {
    if (logged.has(error)) return;
    logged.add(error);
    logger.warn({ err: error }, 'A message of the client was not understood.');
  };
}
