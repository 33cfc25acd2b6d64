import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { CodeExecutorError } from '@code-executor/contracts';

import { FolderIndex } from './folder-index.js';
import { HttpIndex } from './http-index.js';
import type { IndexOptions, PackageIndex } from './package-index.js';

/**
 * Opens an index: `http:` and `https:` URLs of a simple index (PEP 503, PEP 691), `file:` URLs and
 * paths of a folder of wheels.
 *
 * @throws CodeExecutorError `invalid_argument` for URLs of another kind.
 */
export function openIndex(location: string, options: IndexOptions): PackageIndex {
  // One letter and a colon is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(location)?.[1]?.toLowerCase();
  if (scheme === undefined) return new FolderIndex(resolve(location));
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url?.protocol === 'file:' && url.host === '') return new FolderIndex(fileURLToPath(url));
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return new HttpIndex(url, options);
  throw new CodeExecutorError(
    'invalid_argument',
    'The index is neither an http:, https: or file: URL nor a folder; correct executors.python.indexUrl or --index-url.',
  );
}
