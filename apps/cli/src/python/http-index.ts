import { CodeExecutorError } from '@code-executor/contracts';

import { download, shown } from './download.js';
import { readIndexPage } from './index-page.js';
import { type IndexOptions, maxWheelBytes, type OfferedWheel, type PackageIndex } from './package-index.js';

const maxPageBytes = 16 * 1024 * 1024;
const pageTimeoutMs = 30_000;
const wheelTimeoutMs = 600_000;
const pageTypes =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

/** A simple index over http or https. */
export class HttpIndex implements PackageIndex {
  readonly name: string;
  readonly #base: URL;
  readonly #authorization: string | undefined;
  readonly #options: IndexOptions;

  constructor(base: URL, options: IndexOptions) {
    this.#base = new URL(base);
    if (!this.#base.pathname.endsWith('/')) this.#base.pathname += '/';
    const { username, password } = this.#base;
    if (username !== '' || password !== '') {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      this.#authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    // Node's fetch refuses addresses with credentials, so they go into a header.
    this.#base.username = this.#base.password = '';
    this.name = shown(this.#base);
    this.#options = options;
  }

  async offers(packageName: string): Promise<OfferedWheel[]> {
    const page = await download(new URL(`${packageName}/`, this.#base), {
      maxBytes: maxPageBytes,
      timeoutMs: pageTimeoutMs,
      signal: this.#options.signal,
      headersFor: (url) => ({ accept: pageTypes, ...this.#credentialsFor(url) }),
    });
    return page ? readIndexPage(page) : [];
  }

  async read({ url, fileName }: OfferedWheel): Promise<Uint8Array> {
    const wheel = await download(url, {
      maxBytes: maxWheelBytes,
      timeoutMs: wheelTimeoutMs,
      signal: this.#options.signal,
      headersFor: (address) => this.#credentialsFor(address),
      onProgress: (received, total) => this.#options.onProgress(fileName, received, total),
    });
    if (!wheel) {
      throw new CodeExecutorError(
        'unavailable',
        `${shown(url)} is offered by the index, but the server does not have it.`,
      );
    }
    return wheel.bytes;
  }

  /** Only the index itself gets the credentials. */
  #credentialsFor(url: URL): Record<string, string> {
    const authorization = url.origin === this.#base.origin ? this.#authorization : undefined;
    return authorization === undefined ? {} : { authorization };
  }
}
