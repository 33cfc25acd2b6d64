import { CodeExecutorError } from '@code-executor/contracts';

import { download, shown } from './download.js';
import { type IndexOptions, maxWheelBytes, type OfferedWheel, type PackageIndex } from './package-index.js';
import type { PyodideInfo } from './target.js';

/** What a lock file of Pyodide says about one of its packages. */
interface DistributedPackage {
  file_name: string;
  sha256: string;
  version: string;
  depends: string[];
}

/** A lock file, and the address of the folder that contains its files. */
export interface Distribution {
  /** For messages. */
  name: string;
  lock: string;
  files: URL;
}

const wheelTimeoutMs = 600_000;
const maxListed = 30;

/**
 * The packages that were built for one Pyodide. Its lock file lists each file with its hash and what it needs, and only
 * files that it lists are added.
 */
export class DistributionIndex implements PackageIndex {
  readonly advice =
    'Pure Python packages come from a simple index: give one as --index-url, or set executors.python.indexUrl.';
  readonly #load: () => Promise<Distribution>;
  readonly #info: PyodideInfo;
  readonly #options: IndexOptions;
  #loading: Promise<Loaded> | undefined;
  #name: string;

  /** `load` is called when a package is first asked for; `info` describes the Pyodide that will load the packages. */
  constructor(name: string, load: () => Promise<Distribution>, info: PyodideInfo, options: IndexOptions) {
    this.#name = name;
    this.#load = load;
    this.#info = info;
    this.#options = options;
  }

  get name(): string {
    return this.#name;
  }

  async offers(packageName: string): Promise<OfferedWheel[]> {
    const { packages, files } = await this.#loaded();
    const found = packages.get(packageName);
    if (!found) return [];
    const { file_name: path, sha256, depends } = found;
    const url = new URL(path, files);
    return [
      {
        fileName: decodeURIComponent(url.pathname.split('/').at(-1) ?? ''),
        url,
        sha256,
        depends,
        isYanked: false,
      },
    ];
  }

  async read({ url, fileName }: OfferedWheel): Promise<Uint8Array> {
    const { signal, onProgress } = this.#options;
    const wheel = await download(url, {
      maxBytes: maxWheelBytes,
      timeoutMs: wheelTimeoutMs,
      signal,
      headersFor: () => ({}),
      onProgress: (received, total) => onProgress(fileName, received, total),
    }).catch(async (reason: unknown) => {
      const error = CodeExecutorError.from(reason);
      if (error.code !== 'unavailable') throw error;
      throw new CodeExecutorError('unavailable', `${error.message} ${await this.#adviceFor(fileName)}`, {
        cause: error,
      });
    });
    if (!wheel)
      throw new CodeExecutorError(
        'unavailable',
        `${shown(url)} is in the lock file, but the server does not have it.`,
      );
    return wheel.bytes;
  }

  /** What to do if the files cannot be reached: the lock file says which ones are needed. */
  async #adviceFor(fileName: string): Promise<string> {
    const { packages, files } = await this.#loaded();
    const needed = new Map<string, string>();
    const add = (name: string) => {
      const found = packages.get(name);
      if (!found || needed.has(name)) return;
      needed.set(name, found.file_name);
      found.depends.forEach(add);
    };
    for (const [name, { file_name: path }] of packages) if (path.endsWith(fileName)) add(name);
    const names = [...needed.values()];
    const rest = names.length > maxListed ? `, and ${names.length - maxListed} more` : '';
    return `Without network, download these files from ${shown(files)} on another machine, put them into a folder, and give it as --index-url: ${names.slice(0, maxListed).join(', ')}${rest}.`;
  }

  #loaded(): Promise<Loaded> {
    return (this.#loading ??= this.#load().then((distribution) => {
      this.#name = distribution.name;
      return readLock(distribution, this.#info);
    }));
  }
}

interface Loaded {
  /** By normalized name; only packages that can be loaded: no tests, and no libraries that are not wheels. */
  packages: ReadonlyMap<string, DistributedPackage>;
  files: URL;
}

function readLock({ name, lock, files }: Distribution, info: PyodideInfo): Loaded {
  const unusable = (what: string) =>
    new CodeExecutorError('failed_precondition', `The lock file of ${name} ${what}.`);
  let parsed: { info?: Partial<PyodideInfo>; packages?: Record<string, unknown> } | null;
  try {
    parsed = JSON.parse(lock) as typeof parsed;
  } catch {
    throw unusable('is not JSON');
  }
  const abi = parsed?.info?.abi_version;
  if (abi !== info.abi_version) {
    throw unusable(
      `is for another Pyodide: its ABI is ${JSON.stringify(abi)}, and the installed one's is ${info.abi_version}`,
    );
  }
  const entries = Object.entries(parsed?.packages ?? {});
  return { packages: new Map(entries.filter(isDistributed)), files };
}

function isDistributed(entry: [string, unknown]): entry is [string, DistributedPackage] {
  const { file_name, sha256, version, depends } = (entry[1] ?? {}) as Partial<
    Record<keyof DistributedPackage, unknown>
  >;
  return (
    typeof file_name === 'string' &&
    file_name.endsWith('.whl') &&
    typeof sha256 === 'string' &&
    /^[\da-f]{64}$/.test(sha256) &&
    typeof version === 'string' &&
    Array.isArray(depends) &&
    depends.every((name) => typeof name === 'string')
  );
}
