import { basename } from 'node:path';

import type { PackageFolder } from './package-folder.js';
import type { PackageIndex } from './package-index.js';
import type { LockedPackage } from './package-lock.js';
import { readWheelFile } from './read-wheel-file.js';
import type { Requirement } from './requirement.js';
import { Resolution } from './resolution.js';
import type { Target } from './target.js';
import { readWheel } from './wheel.js';

/** What the user wants to add: a wheel, by path, or a package of the index. */
export type Wish = { file: string } | { requirement: Requirement };

export interface AddOptions {
  folder: PackageFolder;
  target: Target;
  index: PackageIndex;
  /** Cancels before anything is written. */
  signal: AbortSignal;
}

/** Adds packages and what they need. Resolves with the packages that are new, or new in this version. */
export async function addPackages(wishes: readonly Wish[], options: AddOptions): Promise<LockedPackage[]> {
  const { folder, target, signal } = options;
  let added: LockedPackage[] = [];
  await folder.change(async (present) => {
    const resolution = new Resolution(present, options);
    for (const wish of wishes) {
      if ('requirement' in wish) resolution.ask(wish.requirement);
      else resolution.take(readWheel(await readWheelFile(wish.file), basename(wish.file), target));
    }
    await resolution.settle();
    signal.throwIfAborted();
    const packages = resolution.packages();
    const { wheels } = resolution;
    added = wheels.map(({ name }) => packages.get(name)).filter((entry) => entry !== undefined);
    return { packages, wheels };
  });
  return added;
}
