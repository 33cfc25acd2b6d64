import { createHash } from 'node:crypto';

import { CodeExecutorError } from '@code-executor/contracts';
import { satisfies } from '@renovatebot/pep440';

import { chooseWheel } from './choose-wheel.js';
import { markerHolds } from './marker.js';
import type { PackageFolder } from './package-folder.js';
import type { PackageIndex } from './package-index.js';
import { lockedPackage, type LockedPackages } from './package-lock.js';
import type { Requirement } from './requirement.js';
import type { Target } from './target.js';
import { readWheel, type Wheel } from './wheel.js';

const maxPackages = 500;

interface Wanted extends Requirement {
  /** The package that needs it; absent if the user named it. */
  by?: string;
}

/** The dependencies that an index gives for a wheel, and the wheel's own requirements for its extras. */
function requirementsOf({ requirements }: Wheel, depends: readonly string[]): Requirement[] {
  const optional = requirements.filter(({ marker = '' }) => /\bextra\b/.test(marker));
  return [...depends.map((name) => ({ name, extras: [], specifier: '' })), ...optional];
}

interface ResolutionOptions {
  folder: PackageFolder;
  target: Target;
  index: PackageIndex;
}

/** Finds what the named packages need. It is not a solver: it takes the newest version that fits, and keeps it. */
export class Resolution {
  readonly #present: LockedPackages;
  readonly #options: ResolutionOptions;
  readonly #found = new Map<string, Wheel>();
  readonly #depends = new Map<string, Set<string>>();
  readonly #done = new Set<string>();
  readonly #queue: Wanted[] = [];

  constructor(present: LockedPackages, options: ResolutionOptions) {
    this.#present = present;
    this.#options = options;
  }

  /** The new wheels; those that the user named come first. */
  get wheels(): Wheel[] {
    return [...this.#found.values()];
  }

  /** All packages, including those that were installed before. */
  packages(): LockedPackages {
    const result = new Map(this.#present);
    for (const [name, wheel] of this.#found) result.set(name, lockedPackage(wheel, []));
    for (const [name, depends] of this.#depends) {
      const entry = result.get(name);
      if (entry) result.set(name, { ...entry, depends: [...new Set([...entry.depends, ...depends])].sort() });
    }
    return result;
  }

  /** Adds a wheel, and queues what it needs. */
  take(wheel: Wheel): void {
    if (this.#found.has(wheel.name)) throw conflict(`There are two wheels of ${wheel.name}; give only one.`);
    if (this.#found.size === maxPackages) throw conflict(`These are more than ${maxPackages} packages.`);
    this.#found.set(wheel.name, wheel);
    this.#want(wheel, '');
  }

  /** Asks for a package from the index, even if another version of it is installed. */
  ask(requirement: Requirement): void {
    this.#queue.push(requirement);
  }

  /** Finds everything that was asked for, with its dependencies. */
  async settle(): Promise<void> {
    for (let wanted = this.#queue.shift(); wanted; wanted = this.#queue.shift()) {
      await this.#provide(wanted);
      if (wanted.by !== undefined) this.#depends.get(wanted.by)?.add(wanted.name);
    }
    await this.#checkDependents();
  }

  async #provide(wanted: Wanted): Promise<void> {
    const { name, by, extras } = wanted;
    const present = this.#found.get(name) ?? (by === undefined ? undefined : this.#present.get(name));
    if (present) checkVersion(wanted, present.version);
    else this.take(await this.#fetch(wanted));
    for (const extra of extras) {
      const locked = this.#present.get(name);
      const wheel = this.#found.get(name) ?? (locked && (await this.#options.folder.wheelOf(locked)));
      if (wheel) this.#want(wheel, extra);
    }
  }

  /** Queues what a wheel needs, or what one of its extras needs. */
  #want(wheel: Wheel, extra: string): void {
    if (this.#done.has(`${wheel.name}[${extra}]`)) return;
    this.#done.add(`${wheel.name}[${extra}]`);
    if (!this.#depends.has(wheel.name)) this.#depends.set(wheel.name, new Set());
    const environment = this.#options.target.markerEnvironment(extra);
    for (const requirement of wheel.requirements) {
      if (requirement.marker !== undefined && !markerHolds(requirement.marker, environment)) continue;
      this.#queue.push({ ...requirement, by: wheel.name });
    }
  }

  async #fetch(wanted: Wanted): Promise<Wheel> {
    const { index, target } = this.#options;
    const why = wanted.by === undefined ? '' : `It is needed by ${wanted.by}.`;
    const offer = await chooseWheel(index, wanted, target).catch((error: unknown) => {
      if (why === '' || !CodeExecutorError.is(error)) throw error;
      throw new CodeExecutorError(error.code, `${error.message} ${why}`, { cause: error });
    });
    const bytes = await index.read(offer);
    if (offer.sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== offer.sha256) {
      throw new CodeExecutorError(
        'permission_denied',
        `${offer.fileName} is not what the index ${index.name} says it is (sha256 differs); nothing was added.`,
      );
    }
    const wheel = readWheel(bytes, offer.fileName, target);
    return offer.depends ? { ...wheel, requirements: requirementsOf(wheel, offer.depends) } : wheel;
  }

  /** Packages that were installed before may need a version that is replaced. */
  async #checkDependents(): Promise<void> {
    for (const [name, entry] of this.#present) {
      if (this.#found.has(name) || !entry.depends.some((needed) => this.#found.has(needed))) continue;
      for (const requirement of (await this.#options.folder.wheelOf(entry)).requirements) {
        const replacement = this.#found.get(requirement.name);
        const isNeeded = entry.depends.includes(requirement.name);
        if (replacement && isNeeded) checkVersion({ ...requirement, by: name }, replacement.version);
      }
    }
  }
}

function checkVersion(wanted: Wanted, version: string): void {
  const { name, by, specifier } = wanted;
  if (specifier === '' || satisfies(version, specifier, { prereleases: true })) return;
  const who = by === undefined ? 'You ask for' : `${by} needs`;
  throw conflict(
    `${who} ${name}${specifier}, but the version would be ${version}. Add a version that suits all, such as code-executor python add "${name}${specifier}".`,
  );
}

function conflict(message: string): CodeExecutorError {
  return new CodeExecutorError('failed_precondition', message);
}
