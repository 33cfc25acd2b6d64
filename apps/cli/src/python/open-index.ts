import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { CodeExecutorError } from '@code-executor/contracts';
import { lockFileName, pyodideFolder } from '@code-executor/sandbox-pyodide';

import { DistributionIndex } from './distribution-index.js';
import { download, shown } from './download.js';
import { FolderIndex } from './folder-index.js';
import { HttpIndex } from './http-index.js';
import type { IndexOptions, PackageIndex } from './package-index.js';
import type { PyodideInfo } from './target.js';

const maxLockBytes = 16 * 1024 * 1024;
const lockTimeoutMs = 30_000;

/**
 * Opens an index: the `http:` or `https:` URL of a simple index (PEP 503, PEP 691) or of a `pyodide-lock.json`, or the
 * `file:` URL or path of a folder of wheels.
 *
 * @throws CodeExecutorError `invalid_argument` for URLs of another kind.
 */
export function openIndex(location: string, info: PyodideInfo, options: IndexOptions): PackageIndex {
  // One letter and a colon is a Windows drive.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(location)?.[1]?.toLowerCase();
  if (scheme === undefined) return new FolderIndex(resolve(location));
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url?.protocol === 'file:' && url.host === '') return new FolderIndex(fileURLToPath(url));
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    return url.pathname.endsWith(`/${lockFileName}`)
      ? new DistributionIndex(shown(url), () => fetchLock(url, options), info, options)
      : new HttpIndex(url, options);
  }
  throw new CodeExecutorError(
    'invalid_argument',
    'The index is neither an http:, https: or file: URL nor a folder; correct executors.python.indexUrl or --index-url.',
  );
}

/** The packages that were built for the installed Pyodide, from the CDN on which its makers publish them. */
export function openDistribution(info: PyodideInfo, options: IndexOptions): PackageIndex {
  const load = async () => {
    const [lock, manifest] = await Promise.all(
      [lockFileName, 'package.json'].map((file) => readFile(join(pyodideFolder(), file), 'utf8')),
    );
    const { version } = JSON.parse(manifest ?? '{}') as { version: string };
    const files = new URL(`https://cdn.jsdelivr.net/pyodide/v${version}/full/`);
    return { name: `Pyodide ${version}`, lock: lock ?? '', files };
  };
  return new DistributionIndex('Pyodide', load, info, options);
}

async function fetchLock(url: URL, { signal }: IndexOptions) {
  const page = await download(url, {
    maxBytes: maxLockBytes,
    timeoutMs: lockTimeoutMs,
    signal,
    headersFor: () => ({}),
  });
  if (!page) throw new CodeExecutorError('unavailable', `${shown(url)} does not exist; correct --index-url.`);
  return { name: shown(url), lock: new TextDecoder().decode(page.bytes), files: new URL('.', page.url) };
}
