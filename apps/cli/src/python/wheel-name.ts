import { valid } from '@renovatebot/pep440';

import { isPackageName, normalizeName } from './package-name.js';

/** What the name of a wheel says: `numpy-2.4.1-cp314-cp314-pyemscripten_2026_0_wasm32.whl`. */
export interface WheelName {
  /** Normalized. */
  name: string;
  version: string;
  /** Of wheels that differ in nothing else, the one with the highest number counts; 0 for none. */
  build: number;
  /** Each as `<python>-<abi>-<platform>`; names may stand for several. */
  tags: string[];
}

const maxLength = 255;
/** Real names stand for a few; by three lists, a short one can stand for tens of thousands. */
const maxTags = 1000;

/** The parts of a file's name; undefined if it is no wheel's, and so for every path. */
export function parseWheelName(fileName: string): WheelName | undefined {
  if (fileName.length > maxLength || !fileName.endsWith('.whl')) return undefined;
  const parts = fileName.slice(0, -'.whl'.length).split('-');
  if (parts.length !== 5 && parts.length !== 6) return undefined;
  const [name = '', escapedVersion = ''] = parts;
  const build = parts.length === 6 ? (parts[2] ?? '') : '0';
  const tagSets = parts.slice(-3);
  // In the version of a file's name, `_` stands for `-`.
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
