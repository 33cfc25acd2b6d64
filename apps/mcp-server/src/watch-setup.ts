import { existsSync, unwatchFile, watchFile } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { CodeExecutorError, type Logger } from '@code-executor/contracts';

import type { Prepared } from './prepare.js';

/** How often files are looked at; looking works where files are replaced, linked or on a network. */
const intervalMs = 1000;

export interface WatchOptions {
  /** What the server works with now. */
  prepared: Prepared;
  /** Reads it anew. */
  prepare: () => Promise<Prepared>;
  /** Gets what can be used and is not the same. */
  onChange: (prepared: Prepared) => Promise<void> | void;
  /** The files cannot be used as they are now. */
  onProblem: () => Promise<void> | void;
  logger: Logger;
}

/**
 * Reads the configuration again whenever one of its files changes, and on SIGHUP. What is wrong is logged, and
 * changes nothing.
 */
export function watchSetup({ prepared, prepare, onChange, onProblem, logger }: WatchOptions): void {
  let current = prepared;
  let watched: readonly string[] = [];
  let present: readonly string[] = [];
  let reading: Promise<void> = Promise.resolve();
  // One after the other, so that the last one counts.
  const read = () => (reading = reading.then(readOnce));
  const onFile = () => void read();
  const readOnce = async () => {
    try {
      // Many editors take a file away for a moment when they save it: it counts as gone when it stays so.
      if (!present.every((path) => existsSync(path))) await delay(intervalMs);
      const found = await prepare();
      watch(found.places);
      const next = withServersOf(current, found);
      const isBroken = next !== found;
      const isSame = contentOf(next) === contentOf(current);
      if (isSame && !isBroken) return;
      for (const warning of next.warnings) logger.warn({}, warning);
      if (isBroken) {
        logger.error({}, 'The servers stay as they were until all their files can be read.');
        await onProblem();
      }
      if (isSame) return;
      await onChange(next);
      current = next;
      logger.info({ servers: Object.keys(next.servers).length }, 'The configuration was read again.');
    } catch (error) {
      if (!CodeExecutorError.is(error)) throw error;
      logger.error({}, `The configuration stays as it was: ${error.message}`);
      await onProblem();
    }
  };
  const watch = (places: readonly string[]) => {
    for (const path of watched) if (!places.includes(path)) unwatchFile(path, onFile);
    for (const path of places) {
      if (!watched.includes(path)) watchFile(path, { interval: intervalMs, persistent: false }, onFile);
    }
    watched = places;
    present = places.filter((path) => existsSync(path));
  };
  watch(prepared.places);
  process.on('SIGHUP', () => void read());
}

/**
 * A file that could be used and is broken now, perhaps half written, takes no servers away; what else has changed
 * counts. The same object where no file is broken.
 */
function withServersOf({ servers, unusable }: Prepared, next: Prepared): Prepared {
  return next.unusable.every((file) => unusable.includes(file)) ? next : { ...next, servers, unusable };
}

function contentOf({ config, servers }: Prepared): string {
  return JSON.stringify([config, servers]);
}
