import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach } from '@jest/globals';

import { type CliRun, runCli } from '../run-cli.test.support.js';
import type { LockedPackage } from './package-lock.js';
import type { TestWheel } from './wheel.test.support.js';

interface Lock {
  info: object;
  packages: Record<string, LockedPackage>;
}

export interface PythonHome {
  home: () => string;
  /** The folder with the packages. */
  folder: () => string;
  /** Runs `code-executor python` with this home. */
  python: (...args: string[]) => Promise<CliRun>;
  /** Writes a wheel to the home; resolves with its path. */
  keep: (wheel: TestWheel) => Promise<string>;
  /** The content of the lock file. */
  locked: () => Promise<Lock>;
  /** The names of the packages in the lock file. */
  names: () => Promise<string[]>;
}

/** Gives each test of the file a new home, which is removed afterwards. */
export function usePythonHome(): PythonHome {
  let home = '';
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'cli-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const folder = () => join(home, 'python', 'packages');
  const locked = async () => JSON.parse(await readFile(join(folder(), 'pyodide-lock.json'), 'utf8')) as Lock;
  return {
    home: () => home,
    folder,
    python: (...args) => runCli(home, 'python', ...args),
    keep: async ({ fileName, bytes }) => {
      await writeFile(join(home, fileName), bytes);
      return join(home, fileName);
    },
    locked,
    names: async () => Object.keys((await locked()).packages),
  };
}
