import { CodeExecutorError } from '@code-executor/contracts';
import { readRegularFile } from '@code-executor/files';

import type { PyodideInfo } from './target.js';
import { parseWheelName } from './wheel-name.js';
import type { Wheel } from './wheel.js';

/** Enough for thousands of packages. */
const maxBytes = 16 * 1024 * 1024;

/** One package, as in Pyodide's lock files. */
export interface LockedPackage {
  /** Normalized. */
  name: string;
  version: string;
  file_name: string;
  install_dir: 'site';
  /** Hexadecimal. */
  sha256: string;
  package_type: 'package';
  /** The module names whose import loads it. */
  imports: string[];
  /** Normalized names of packages that are loaded with it. */
  depends: string[];
  unvendored_tests: false;
}

/** Every package of a folder by its normalized name. */
export type LockedPackages = Map<string, LockedPackage>;

/** Which packages there are, and the Pyodide that they were added for. */
export interface PackageLock {
  /** Absent if nothing was ever added. */
  info?: PyodideInfo;
  packages: LockedPackages;
}

/**
 * Reads a lock file.
 *
 * @throws CodeExecutorError `failed_precondition` when it cannot be read or is damaged.
 */
export async function readPackageLock(path: string): Promise<PackageLock> {
  const file = await readRegularFile(path, { maxBytes, followLink: true });
  if (!file) return { packages: new Map() };
  try {
    const { info, packages } = JSON.parse(file.text()) as { info: PyodideInfo; packages: object };
    const entries = Object.entries(packages) as [string, unknown][];
    if (entries.every(isLockedPackage)) return { info, packages: new Map(entries) };
  } catch (error) {
    throw damaged(path, error);
  }
  throw damaged(path);
}

/** The text of a lock file, sorted by name. */
export function packageLockText(info: PyodideInfo, packages: LockedPackages): string {
  const sorted = [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ info, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
}

/** The entry of a wheel that needs these packages. */
export function lockedPackage(wheel: Wheel, depends: Iterable<string>): LockedPackage {
  return {
    name: wheel.name,
    version: wheel.version,
    file_name: wheel.fileName,
    install_dir: 'site',
    sha256: wheel.sha256,
    package_type: 'package',
    imports: wheel.imports,
    depends: [...new Set(depends)].sort(),
    unvendored_tests: false,
  };
}

function isLockedPackage(entry: [string, unknown]): entry is [string, LockedPackage] {
  const [name, fields] = entry;
  const { file_name, version, imports, depends } = fields as Partial<Record<keyof LockedPackage, unknown>>;
  return (
    typeof file_name === 'string' &&
    parseWheelName(file_name)?.name === name &&
    typeof version === 'string' &&
    isTextList(imports) &&
    isTextList(depends)
  );
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function damaged(path: string, cause?: unknown): CodeExecutorError {
  const message = `File ${path} is damaged. Delete it and add the packages again.`;
  return new CodeExecutorError('failed_precondition', message, { cause });
}
