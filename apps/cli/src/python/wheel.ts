import { createHash } from 'node:crypto';

import { eq, valid } from '@renovatebot/pep440';

import { normalizeName } from './package-name.js';
import { parseRequirement, type Requirement } from './requirement.js';
import type { Target } from './target.js';
import { readWheelArchive, refused, type WheelArchive } from './wheel-archive.js';
import { parseWheelName, type WheelName } from './wheel-name.js';

/** A wheel whose content was read and checked. */
export interface Wheel extends WheelName {
  fileName: string;
  bytes: Uint8Array;
  /** Hexadecimal. */
  sha256: string;
  /** What programs can `import` from it: its top-level packages and modules. */
  imports: string[];
  /** What it and its extras need. */
  requirements: Requirement[];
}

const maxListed = 1000;
const maxMetadataBytes = 4 * 1024 * 1024;

/**
 * Reads and checks a wheel.
 *
 * @throws CodeExecutorError `invalid_argument` when it is damaged, or does not fit this Python.
 */
export function readWheel(bytes: Uint8Array, fileName: string, target: Target): Wheel {
  const named = parseWheelName(fileName);
  if (!named) throw refused(fileName, 'is not named like a wheel (NAME-VERSION-TAGS.whl)');
  if (target.rankOf(named.tags) === undefined) {
    throw refused(fileName, `does not fit: its tags must be ${target.fittingTags}`);
  }
  const files = readWheelArchive(bytes, fileName);
  const { headers, folder } = readMetadata(files, fileName);
  const [name = '', version = ''] = ['name', 'version'].map((key) => headers.get(key)?.[0] ?? '');
  if (normalizeName(name) !== named.name || valid(version) === null || !eq(version, named.version)) {
    const found = JSON.stringify(`${name} ${version}`.slice(0, 100));
    throw refused(fileName, `contains the metadata of ${found}`);
  }
  const requiresPython = headers.get('requires-python')?.[0];
  if (!target.allowsPython(requiresPython)) {
    throw refused(fileName, `needs Python ${requiresPython ?? ''}, but this is ${target.info.python}`);
  }
  const requirements = headers.get('requires-dist') ?? [];
  if (requirements.length > maxListed) throw refused(fileName, `needs more than ${maxListed} packages`);
  return {
    ...named,
    fileName,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    imports: importsOf(files, folder),
    requirements: requirements.map(parseRequirement),
  };
}

/** The headers of METADATA by lowercase name, and the folder that contains it. */
function readMetadata(files: WheelArchive, fileName: string) {
  const paths = [...files.keys()].filter((path) => /^[^/]+\.dist-info\/METADATA$/.test(path));
  const [path] = paths;
  const content = path === undefined ? undefined : files.get(path);
  if (path === undefined || !content || paths.length > 1)
    throw refused(fileName, 'has no METADATA, or more than one');
  if (content.length > maxMetadataBytes) throw refused(fileName, 'has METADATA of more than 4 MB');
  const [head = ''] = new TextDecoder().decode(content).replaceAll('\r\n', '\n').split('\n\n', 1);
  const headers = new Map<string, string[]>();
  // A line that begins with a space continues the previous one.
  for (const line of head.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const end = line.indexOf(':');
    const key = line.slice(0, Math.max(end, 0)).toLowerCase();
    const values = headers.get(key) ?? [];
    values.push(line.slice(end + 1).trim());
    headers.set(key, values);
  }
  return { headers, folder: path.slice(0, path.indexOf('/')) };
}

function importsOf(files: WheelArchive, metadataFolder: string): string[] {
  const listed = files.get(`${metadataFolder}/top_level.txt`);
  const names = listed
    ? new TextDecoder().decode(listed).split(/\s+/)
    : [...files.keys()].map((path) => importedBy(path));
  const identifiers = names.filter((name) => /^[\p{L}_][\p{L}\p{N}_]{0,127}$/u.test(name));
  return [...new Set(identifiers)].sort().slice(0, maxListed);
}

/** `a` for `a/b.py`, `a.py` and `a.cpython-314-wasm32-emscripten.so`; folders with a dot cannot be imported. */
function importedBy(path: string): string {
  const [, folder, module] = /^(?:([^/]+)\/.*|([^/.]+)(?:\.[^/]*)?)\.(?:pyc?|so)$/s.exec(path) ?? [];
  return folder ?? module ?? '';
}
