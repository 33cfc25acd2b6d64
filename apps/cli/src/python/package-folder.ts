import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CodeExecutorError } from '@code-executor/contracts';
import { lockFileName } from '@code-executor/sandbox-pyodide';

import {
  type LockedPackage,
  type LockedPackages,
  packageLockText,
  type PackageLock,
  readPackageLock,
} from './package-lock.js';
import { readWheelFile } from './read-wheel-file.js';
import type { Target } from './target.js';
import { parseWheelName } from './wheel-name.js';
import { readWheel, type Wheel } from './wheel.js';

/** What a change makes of a folder. */
export interface Change {
  /** All packages from now on. */
  packages: LockedPackages;
  /** Wheels of those that are new. */
  wheels: readonly Wheel[];
}

const partEnding = '.part';

/** The folder that the sandbox loads packages from: wheels, and a lock file that lists them. */
export class PackageFolder {
  readonly path: string;
  readonly #target: Target;

  constructor(path: string, target: Target) {
    this.path = path;
    this.#target = target;
  }

  /** What is there now. */
  read(): Promise<PackageLock> {
    return readPackageLock(join(this.path, lockFileName));
  }

  /** The wheel of a package that is there. */
  async wheelOf({ file_name }: LockedPackage): Promise<Wheel> {
    return readWheel(await readWheelFile(join(this.path, file_name)), file_name, this.#target);
  }

  /**
   * Changes what is there, all of it or nothing, while nobody else can.
   *
   * @throws CodeExecutorError `unavailable` while another process changes it, `failed_precondition`
   * when packages would stay that do not fit this Python, or when the folder cannot be written.
   */
  async change(plan: (packages: LockedPackages) => Promise<Change>): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 }).catch(this.#unwritable);
    const release = await this.#lock();
    try {
      await this.#removeParts();
      const before = (await this.read()).packages;
      const { packages, wheels } = await plan(new Map(before));
      this.#refuseUnfit(packages);
      for (const { fileName, bytes } of wheels) await this.#write(fileName, bytes);
      await this.#write(lockFileName, packageLockText(this.#target.info, packages));
      const kept = new Set([...packages.values()].map(({ file_name }) => file_name));
      for (const { file_name } of before.values()) {
        if (!kept.has(file_name)) await rm(join(this.path, file_name), { force: true });
      }
    } finally {
      await release();
    }
  }

  async #lock(): Promise<() => Promise<void>> {
    const path = join(this.path, '.lock');
    const handle = await open(path, 'wx', 0o600).catch(async (reason: unknown) => {
      if ((reason as NodeJS.ErrnoException).code !== 'EEXIST') return this.#unwritable(reason);
      const owner = (await readFile(path, 'utf8').catch(() => '')).slice(0, 20).trim();
      const advice = `Wait until it has ended; if it is gone, delete ${path}.`;
      const message = `Process ${owner} is changing the packages in ${this.path}. ${advice}`;
      throw new CodeExecutorError('unavailable', message);
    });
    await handle.writeFile(`${process.pid}\n`);
    await handle.close();
    return () => rm(path, { force: true });
  }

  /** What a process that was killed has left. */
  async #removeParts(): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (name.startsWith('.') && name.endsWith(partEnding)) await rm(join(this.path, name), { force: true });
    }
  }

  #refuseUnfit(packages: LockedPackages): void {
    const unfit = [...packages.values()].filter(({ file_name }) => {
      const tags = parseWheelName(file_name)?.tags;
      return tags === undefined || this.#target.rankOf(tags) === undefined;
    });
    if (unfit.length === 0) return;
    const names = unfit.map(({ name }) => name).join(' ');
    throw new CodeExecutorError(
      'failed_precondition',
      `These packages were added for another version of Python: ${names}. First: code-executor python remove ${names}`,
    );
  }

  /** Whoever reads meanwhile sees the file as it was or as it is to be. */
  async #write(fileName: string, content: string | Uint8Array): Promise<void> {
    const part = join(this.path, `.${fileName}${partEnding}`);
    await writeFile(part, content, { mode: 0o600, flush: true }).catch(this.#unwritable);
    await rename(part, join(this.path, fileName)).catch(this.#unwritable);
  }

  readonly #unwritable = (reason: unknown): never => {
    const { code = 'unknown reason' } = reason as NodeJS.ErrnoException;
    throw new CodeExecutorError(
      'failed_precondition',
      `Folder ${this.path} cannot be written (${code}); correct it, or executors.python.packagesDir.`,
      { cause: reason },
    );
  };
}
