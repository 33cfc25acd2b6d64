import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { OwnFiles } from '@code-executor/deno-runtime';

/** The file that `code-executor python add` writes beside the wheels. It lists them and their dependencies. */
export const lockFileName = 'pyodide-lock.json';

/** The operator's packages, which may change while the server runs. */
export class PackageFolder {
  readonly #path: string | undefined;
  #seen: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** The folder for the process, or nothing if there is no folder or no package in it. */
  get files(): OwnFiles {
    return this.#path !== undefined && this.#state() !== undefined ? { packages: this.#path } : {};
  }

  /** Whether packages were added or removed since the last call. */
  takeChange(): boolean {
    const before = this.#seen;
    this.#seen = this.#state();
    return this.#seen !== before;
  }

  /** Identifies the lock file, which is always replaced as a whole; undefined if it is missing or unreadable. */
  #state(): string | undefined {
    if (this.#path === undefined) return undefined;
    try {
      const { ino, mtimeMs } = statSync(join(this.#path, lockFileName));
      return `${ino} ${mtimeMs}`;
    } catch {
      return undefined;
    }
  }
}
