import { statSync } from 'node:fs';
import { join } from 'node:path';

import type { OwnFiles } from '@code-executor/deno-runtime';

/** What `code-executor python add` writes beside the wheels: which there are, and what they need. */
export const lockFileName = 'pyodide-lock.json';

/** The operator's packages, which may change while the server runs. */
export class PackageFolder {
  readonly #path: string | undefined;
  #seen: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** Nothing where there is no folder, or no package in it. */
  get files(): OwnFiles {
    return this.#path !== undefined && this.#state() !== undefined ? { packages: this.#path } : {};
  }

  /** Whether packages were added or removed since this was last asked; the next answer is about what comes then. */
  takeChange(): boolean {
    const before = this.#seen;
    this.#seen = this.#state();
    return this.#seen !== before;
  }

  /** Of the lock file, which is replaced as a whole; undefined if there is none that can be read. */
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
