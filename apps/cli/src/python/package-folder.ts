import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { CodeExecutorError, systemCodeOf } from '@code-executor/contracts';
import { makePrivateFolder, replaceFile, takeLock } from '@code-executor/files';
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

/** The content of the folder after a change. */
export interface Change {
  /** All packages that the folder has then. */
  packages: LockedPackages;
  /** The wheels of the new ones. */
  wheels: readonly Wheel[];
}

/** The folder that the sandbox loads packages from: wheels, and a lock file that lists them. */
export class PackageFolder {
  readonly path: string;
  readonly #target: Target;

  constructor(path: string, target: Target) {
    this.path = path;
    this.#target = target;
  }

  /** The packages that are installed now. */
  read(): Promise<PackageLock> {
    return readPackageLock(join(this.path, lockFileName));
  }

  /** The wheel of an installed package. */
  async wheelOf({ file_name }: LockedPackage): Promise<Wheel> {
    return readWheel(await readWheelFile(join(this.path, file_name)), file_name, this.#target);
  }

  /**
   * Changes the packages, completely or not at all, while no other process can.
   *
   * @throws CodeExecutorError `unavailable` while another process changes it, `failed_precondition`
   * when packages that do not fit this Python would stay, or when the folder cannot be written.
   */
  async change(plan: (packages: LockedPackages) => Promise<Change>): Promise<void> {
    await makePrivateFolder(this.path).catch(this.#unwritable);
    const subject = `the packages in ${this.path}`;
    const release = await takeLock(join(this.path, '.lock'), { subject }).catch(this.#unwritable);
    try {
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

  #refuseUnfit(packages: LockedPackages): void {
    const unfit = [...packages.values()].filter(({ file_name }) => {
      const tags = parseWheelName(file_name)?.tags;
      return tags === undefined || this.#target.rankOf(tags) === undefined;
    });
    if (unfit.length === 0) return;
    const names = unfit.map(({ name }) => name).join(' ');
    throw new CodeExecutorError(
      'failed_precondition',
      `These packages were added for another version of Python: ${names}. Remove them first: code-executor python remove ${names}`,
    );
  }

  async #write(fileName: string, content: string | Uint8Array): Promise<void> {
    await replaceFile(join(this.path, fileName), content).catch(this.#unwritable);
  }

  readonly #unwritable = (reason: unknown): never => {
    if (CodeExecutorError.is(reason)) throw reason;
    const code = systemCodeOf(reason) ?? 'unknown reason';
    throw new CodeExecutorError(
      'failed_precondition',
      `Folder ${this.path} cannot be written (${code}); change its permissions, or executors.python.packagesDir.`,
      { cause: reason },
    );
  };
}
