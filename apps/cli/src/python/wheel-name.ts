import { valid } from '@renovatebot/pep440';

import { isPackageName, normalizeName } from './package-name.js';

/** What the name of a wheel says: `numpy-2.4.1-cp314-cp314-pyemscripten_2026_0_wasm32.whl`. */
export interface WheelName {
  /** Normalized. */
  name: string;
  version: string;
  /** Among wheels that are otherwise equal, the highest number wins; 0 if there is none. */
  build: number;
  /** Each as `<python>-<abi>-<platform>`; a name may stand for several. */
  tags: string[];
}

const maxLength = 255;
/** Real names have a few; a short name with three lists can have tens of thousands. */
const maxTags = 1000;

/** The parts of a wheel's file name; undefined for any other name, and for every path. */
export function parseWheelName(fileName: string): WheelName | undefined {
  if (fileName.length > maxLength || !fileName.endsWith('.whl')) return undefined;
  const parts = fileName.slice(0, -'.whl'.length).split('-');
  if (parts.length !== 5 && parts.length !== 6) return undefined;
  const [name = '', escapedVersion = ''] = parts;
  const build = parts.length === 6 ? (parts[2] ?? '') : '0';
  const tagSets = parts.slice(-3);
  // In the version of a file name, `_` stands for `-`.
  const version = escapedVersion.replaceAll('_', '-');
  const isReadable =
    isPackageName(name) &&
    /^[\w.!+]+$/.test(escapedVersion) &&
    valid(version) !== null &&
    /^\d[\w.]*$/.test(build) &&
    tagSets.every((set) => /^\w+(?:\.\w+)*$/.test(set));
  if (!isReadable) return undefined;
  const [pythons = [], abis = [], platforms = []] = tagSets.map((set) => set.split('.'));
  if (pythons.length * abis.length * platforms.length > maxTags) return undefined;
  const tags = pythons.flatMap((python) =>
    abis.flatMap((abi) => platforms.map((platform) => `${python}-${abi}-${platform}`)),
  );
  return { name: normalizeName(name), version, build: parseInt(build, 10), tags };
}
