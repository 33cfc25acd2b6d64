import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { lockFileName, pyodideFolder } from '@code-executor/sandbox-pyodide';
import { satisfies, validRange } from '@renovatebot/pep440';

import type { MarkerEnvironment } from './marker.js';

/** The description of a Pyodide, in its own lock file and in ours. */
export interface PyodideInfo {
  abi_version: string;
  arch: string;
  platform: string;
  python: string;
}

/** The Python that programs run in, and what can be installed there. */
export class Target {
  readonly info: PyodideInfo;
  readonly #ranks: ReadonlyMap<string, number>;

  constructor(info: PyodideInfo) {
    this.info = info;
    this.#ranks = new Map(supportedTags(info).map((tag, rank) => [tag, rank]));
  }

  /** How well a wheel fits, 0 being best; undefined if it does not. */
  rankOf(tags: readonly string[]): number | undefined {
    const ranks = tags.map((tag) => this.#ranks.get(tag)).filter((rank) => rank !== undefined);
    return ranks.length === 0 ? undefined : ranks.reduce((best, rank) => Math.min(best, rank));
  }

  /** The tags that fit, for messages. */
  get fittingTags(): string {
    const python = `cp${shortVersion(this.info).replace('.', '')}`;
    const [platform = ''] = platforms(this.info);
    return `py3-none-any, ${python}-${python}-${platform} or ${python}-abi3-${platform}`;
  }

  /** Whether a package's `Requires-Python` allows this Python; one that cannot be parsed is ignored. */
  allowsPython(requiresPython: string | undefined): boolean {
    if (requiresPython === undefined || !validRange(requiresPython)) return true;
    return satisfies(this.info.python, requiresPython, { prereleases: true });
  }

  /** The variables of markers, for one extra of a package; an empty name means no extra. */
  markerEnvironment(extra: string): MarkerEnvironment {
    return new Map([
      ['os_name', 'posix'],
      ['sys_platform', 'emscripten'],
      ['platform_machine', this.info.arch],
      ['platform_python_implementation', 'CPython'],
      ['platform_release', this.info.platform.replace(/^\D+/, '').replaceAll('_', '.')],
      ['platform_system', 'Emscripten'],
      ['platform_version', '#1'],
      ['python_version', shortVersion(this.info)],
      ['python_full_version', this.info.python],
      ['implementation_name', 'cpython'],
      ['implementation_version', this.info.python],
      ['extra', extra],
    ]);
  }
}

/** The Python of the installed Pyodide. */
export async function readTarget(): Promise<Target> {
  const text = await readFile(join(pyodideFolder(), lockFileName), 'utf8');
  return new Target((JSON.parse(text) as { info: PyodideInfo }).info);
}

function shortVersion({ python }: PyodideInfo): string {
  return python.split('.').slice(0, 2).join('.');
}

function platforms({ abi_version, arch, platform }: PyodideInfo): string[] {
  return [`pyemscripten_${abi_version}_${arch}`, `pyodide_${abi_version}_${arch}`, `${platform}_${arch}`];
}

/** As in Python's own `packaging.tags`: the most specific first. */
function supportedTags(info: PyodideInfo): string[] {
  const [major = '', minor = ''] = shortVersion(info).split('.');
  const cpython = `cp${major}${minor}`;
  const minors = Array.from({ length: Number(minor) + 1 }, (_, index) => Number(minor) - index);
  const pythons = [`py${major}${minor}`, `py${major}`, ...minors.slice(1).map((m) => `py${major}${m}`)];
  const built = platforms(info).flatMap((platform) => [
    ...[cpython, 'abi3', 'none'].map((abi) => `${cpython}-${abi}-${platform}`),
    ...minors.slice(1).map((older) => `cp${major}${older}-abi3-${platform}`),
    ...pythons.map((python) => `${python}-none-${platform}`),
  ]);
  return [...built, `${cpython}-none-any`, ...pythons.map((python) => `${python}-none-any`)];
}
