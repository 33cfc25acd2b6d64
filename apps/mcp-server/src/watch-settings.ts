import { setTimeout as delay } from 'node:timers/promises';

import { CodeExecutorError, type Logger } from '@code-executor/contracts';

import type { FoundSettings } from './read-settings.js';
import { checkIntervalMs, WatchedFiles } from './watched-files.js';

export interface WatchOptions {
  /** The current settings; undefined if the configuration cannot be used. */
  settings: FoundSettings | undefined;
  /** The files to watch until the configuration was read once more. */
  places: readonly string[];
  /** Reads the settings again. */
  read: () => Promise<FoundSettings>;
  /** Gets settings that can be used; `hasChanged` if they differ in more than their warnings. */
  onRead: (settings: FoundSettings, hasChanged: boolean) => Promise<void> | void;
  /** Gets why the files cannot be used at the moment; undefined once they can be used again. */
  onProblem: (problem: string | undefined) => Promise<void> | void;
  logger: Logger;
}

let hasSighup = false;

/**
 * Listens for SIGHUP, which would otherwise end the process. If it comes before the files are watched, they are read again
 * as soon as they are.
 */
export function listenForSighup(): void {
  process.on('SIGHUP', () => (hasSighup = true));
}

/**
 * Reads the configuration again whenever one of its files changes, on SIGHUP, and when the returned function is
 * called. A configuration that cannot be used is logged and changes nothing.
 */
export function watchSettings(options: WatchOptions): () => Promise<void> {
  const { settings, places, onRead, onProblem, logger } = options;
  let current = settings;
  let hasProblem = settings === undefined;
  let reading: Promise<void> = Promise.resolve();
  // One read follows the other, so that the last one counts.
  const read = () => (reading = reading.then(readOnce));
  const files = new WatchedFiles(() => void read());
  const tell = async (problem: string | undefined) => {
    if (problem !== undefined) logger.error({}, problem);
    else if (!hasProblem) return;
    hasProblem = problem !== undefined;
    await onProblem(problem);
  };
  const readOnce = async () => {
    try {
      // Many editors remove a file for a moment when they save it, so it counts as removed only if it stays away.
      if (files.hasLost()) await delay(checkIntervalMs);
      let next = await options.read();
      files.watch(next.places);
      if (next.keptFiles.length > 0) {
        // The file may have been half written, and completed before it was watched.
        await delay(checkIntervalMs);
        next = await options.read();
        files.watch(next.places);
      }
      const isSame = current !== undefined && contentOf(next) === contentOf(current);
      const known = new Set(current?.warnings);
      for (const warning of next.warnings) if (!known.has(warning)) logger.warn({}, warning);
      const isKept = next.keptFiles.length > 0;
      await tell(isKept ? 'The servers of a file stay as they were until it can be read.' : undefined);
      current = next;
      await onRead(next, !isSame);
      if (isSame) return;
      logger.info({ servers: Object.keys(next.servers).length }, 'The configuration was read again.');
    } catch (error) {
      if (!CodeExecutorError.is(error)) throw error;
      const problem = current
        ? `The configuration stays as it was: ${error.message}`
        : `The server still cannot start: ${error.message}`;
      await tell(problem);
    }
  };
  files.watch(places);
  process.on('SIGHUP', () => void read());
  if (hasSighup) void read();
  return read;
}

function contentOf({ config, servers, unusable }: FoundSettings): string {
  return JSON.stringify([config, servers, unusable]);
}
