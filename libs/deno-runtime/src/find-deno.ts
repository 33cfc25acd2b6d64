import { execFile } from 'node:child_process';
import { access, constants, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { CodeExecutorError } from '@code-executor/contracts';

/** In older releases, programs could get around Deno's permissions. */
export const minimumDenoVersion = '2.9.5';

const checked = new Map<string | undefined, Promise<string>>();

/**
 * The real path of a Deno binary that is new enough: `explicitPath` if given, otherwise the one of the npm package
 * `deno`. Each path is checked once, by running the binary.
 *
 * @throws CodeExecutorError `failed_precondition` if there is none, or it is too old.
 */
export function findDeno(explicitPath?: string): Promise<string> {
  let check = checked.get(explicitPath);
  if (!check) {
    check = findAndCheck(explicitPath);
    checked.set(explicitPath, check);
    // Check a missing binary again the next time, because it may be installed by then.
    check.catch(() => checked.delete(explicitPath));
  }
  return check;
}

async function findAndCheck(explicitPath: string | undefined): Promise<string> {
  return checkDeno(explicitPath ?? (await packagedDeno()), explicitPath !== undefined);
}

async function packagedDeno(): Promise<string> {
  const require = createRequire(import.meta.url);
  const binary = process.platform === 'win32' ? 'deno.exe' : 'deno';
  const libc = process.platform === 'linux' ? '-glibc' : '';
  const candidates: string[] = [];
  let denoPackage: string | undefined;
  try {
    denoPackage = require.resolve('deno/package.json');
    // Try the platform package first, because an install script creates the copy beside `bin.cjs`, and may be disabled.
    const platformPackage = `@deno/${process.platform}-${process.arch}${libc}/package.json`;
    candidates.push(join(dirname(createRequire(denoPackage).resolve(platformPackage)), binary));
  } catch {
    // The platform package is not installed, but the copy may be.
  }
  if (denoPackage) candidates.push(join(dirname(denoPackage), binary));
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new CodeExecutorError(
    'failed_precondition',
    `Deno is not installed for ${process.platform}-${process.arch}; run "npm install deno@${minimumDenoVersion}", or set DENO_PATH (executors.typescript.denoPath) to a Deno binary of version ${minimumDenoVersion} or newer.`,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function checkDeno(path: string, isExplicit: boolean): Promise<string> {
  const where = isExplicit ? 'DENO_PATH (executors.typescript.denoPath)' : 'The npm package "deno"';
  let output: string;
  let real: string;
  try {
    real = await realpath(path);
    const env = { DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
    output = (await promisify(execFile)(real, ['--version'], { env, timeout: 10_000 })).stdout;
  } catch (cause) {
    throw new CodeExecutorError(
      'failed_precondition',
      `${where} names a file that cannot be run as Deno; install Deno ${minimumDenoVersion} or newer.`,
      { cause },
    );
  }
  const version = /^deno (\d+)\.(\d+)\.(\d+)/.exec(output)?.slice(1).map(Number);
  const minimum = minimumDenoVersion.split('.').map(Number);
  if (!version || compareVersions(version, minimum) < 0) {
    throw new CodeExecutorError(
      'failed_precondition',
      `${where} is Deno ${version?.join('.') ?? 'of an unknown version'}, which is known to leak; install ${minimumDenoVersion} or newer.`,
    );
  }
  return real;
}

function compareVersions(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
