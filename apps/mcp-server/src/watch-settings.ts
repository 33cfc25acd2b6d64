import { existsSync, type Stats, unwatchFile, watchFile } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { CodeExecutorError, type Logger } from '@code-executor/contracts';

import type { FoundSettings } from './read-settings.js';

/** How often files are looked at; looking works where files are replaced, linked or on a network. */
const intervalMs = 1000;

export interface WatchOptions {
  /** What the server works with now; undefined where it could not start with what it found. */
  settings: FoundSettings | undefined;
  /** The files that are watched until they can be read. */
  places: readonly string[];
  /** Reads it anew. */
  read: () => Promise<FoundSettings>;
  /** Gets what can be used; `hasChanged` where more than the warnings is not the same. */
  onRead: (settings: FoundSettings, hasChanged: boolean) => Promise<void> | void;
  /** The files cannot be used as they are now, because of this problem; undefined when they can be used again. */
  onProblem: (problem: string | undefined) => Promise<void> | void;
  logger: Logger;
}

let isAsked = false;

/** SIGHUP ends a process that does not listen for it; asked for before the files are watched, they are read again then. */
export function heedSighup(): void {
  process.on('SIGHUP', () => (isAsked = true));
}

/**
 * Reads the configuration again whenever one of its files changes, on SIGHUP, and when the returned function is
 * called. What is wrong is logged, and changes nothing.
 */
export function watchSettings(options: WatchOptions): () => Promise<void> {
  const { settings, places, onRead, onProblem, logger } = options;
  let current = settings;
  let watched: readonly string[] = [];
  let present: readonly string[] = [];
  let hasProblem = settings === undefined;
  let reading: Promise<void> = Promise.resolve();
  // One after the other, so that the last one counts.
  const read = () => (reading = reading.then(readOnce));
  const onFile = (now: Stats, before: Stats) => {
    // Told at once of each file that is not there.
    if (now.nlink > 0 || before.nlink > 0) void read();
  };
  const tell = async (problem: string | undefined) => {
    if (problem !== undefined) logger.error({}, problem);
    else if (!hasProblem) return;
    hasProblem = problem !== undefined;
    await onProblem(problem);
  };
  const readOnce = async () => {
    try {
      // Many editors take a file away for a moment when they save it: it counts as gone when it stays so.
      if (!present.every((path) => existsSync(path))) await delay(intervalMs);
      let next = await options.read();
      watch(next.places);
      if (next.keptFiles.length > 0) {
        // Half written, perhaps, and whole before anybody watched it.
        await delay(intervalMs);
        next = await options.read();
        watch(next.places);
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
  const watch = (files: readonly string[]) => {
    for (const path of watched) if (!files.includes(path)) unwatchFile(path, onFile);
    for (const path of files) {
      if (!watched.includes(path)) watchFile(path, { interval: intervalMs, persistent: false }, onFile);
    }
    watched = files;
    present = files.filter((path) => existsSync(path));
  };
  watch(places);
  process.on('SIGHUP', () => void read());
  if (isAsked) void read();
  return read;
}

function contentOf({ config, servers, unusable }: FoundSettings): string {
  return JSON.stringify([config, servers, unusable]);
}
