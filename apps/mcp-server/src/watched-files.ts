import { existsSync, type Stats, unwatchFile, watchFile } from 'node:fs';

/** How often files are checked. Unlike events, checks also notice files that are replaced, linked or on a network. */
export const checkIntervalMs = 1000;

/** Calls `onChange` whenever one of its files changes, appears or disappears. Keeps no process alive. */
export class WatchedFiles {
  readonly #onCheck: (now: Stats, before: Stats) => void;
  #paths: readonly string[] = [];
  #present: readonly string[] = [];

  constructor(onChange: () => void) {
    this.#onCheck = (now, before) => {
      // The first call for a file that does not exist is no change.
      if (now.nlink > 0 || before.nlink > 0) onChange();
    };
  }

  /** Watches these files instead of the earlier ones. */
  watch(paths: readonly string[]): void {
    for (const path of this.#paths) if (!paths.includes(path)) unwatchFile(path, this.#onCheck);
    for (const path of paths) {
      if (this.#paths.includes(path)) continue;
      watchFile(path, { interval: checkIntervalMs, persistent: false }, this.#onCheck);
    }
    this.#paths = paths;
    this.#present = paths.filter((path) => existsSync(path));
  }

  /** Whether a file that existed when `watch` was called no longer does. */
  hasLost(): boolean {
    return !this.#present.every((path) => existsSync(path));
  }
}
