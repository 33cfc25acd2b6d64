import { CodeExecutorError } from '@code-executor/contracts';

export interface DownloadOptions {
  maxBytes: number;
  /** For the whole download, redirects included. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Headers for one address; asked again after each redirect. */
  headersFor: (url: URL) => Record<string, string>;
  onProgress?: (receivedBytes: number, totalBytes?: number) => void;
}

export interface Downloaded {
  bytes: Uint8Array;
  /** After redirects. */
  url: URL;
  contentType: string;
}

const maxRedirects = 5;

/**
 * Downloads over http or https. Resolves with undefined if the server answers 404 or 410.
 *
 * @throws CodeExecutorError `unavailable` when the server cannot be reached or does not serve it,
 * `deadline_exceeded`, `cancelled`, `resource_exhausted` when it is too large, `permission_denied` for
 * redirects that lead to another protocol.
 */
export async function download(url: URL, options: DownloadOptions): Promise<Downloaded | undefined> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  try {
    const { response, finalUrl } = await followRedirects(url, options, signal);
    if (response.status === 404 || response.status === 410) return undefined;
    if (!response.ok) {
      throw new CodeExecutorError('unavailable', `${shown(finalUrl)} answered with ${response.status}.`);
    }
    const bytes = await readBody(response, finalUrl, options);
    return { bytes, url: finalUrl, contentType: response.headers.get('content-type') ?? '' };
  } catch (error) {
    throw asDownloadError(error, url);
  }
}

/** An address without credentials, query and fragment. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

async function followRedirects(start: URL, { headersFor }: DownloadOptions, signal: AbortSignal) {
  let url = start;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await fetch(url, { redirect: 'manual', signal, headers: headersFor(url) });
    const location = response.status >= 300 && response.status < 400 && response.headers.get('location');
    if (typeof location !== 'string') return { response, finalUrl: url };
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    // Between https and http, anyone on the network could change the content.
    if (!next || (next.protocol !== url.protocol && next.protocol !== 'https:')) {
      throw new CodeExecutorError(
        'permission_denied',
        `${shown(url)} redirects to an address that is not followed.`,
      );
    }
    url = next;
    url.username = url.password = '';
  }
  throw new CodeExecutorError('unavailable', `${shown(start)} redirects more than ${maxRedirects} times.`);
}

async function readBody(response: Response, url: URL, { maxBytes, onProgress }: DownloadOptions) {
  const total = Number(response.headers.get('content-length') ?? NaN);
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    received += chunk.length;
    if (received > maxBytes) {
      throw new CodeExecutorError(
        'resource_exhausted',
        `${shown(url)} is larger than ${maxBytes / 1024 / 1024} MB.`,
      );
    }
    chunks.push(chunk);
    // The header counts the compressed bytes if the body is compressed.
    onProgress?.(received, total >= received ? total : undefined);
  }
  return Buffer.concat(chunks);
}

function asDownloadError(error: unknown, url: URL): CodeExecutorError {
  if (CodeExecutorError.is(error)) return error;
  const known = CodeExecutorError.from(error);
  if (known.code === 'cancelled') return known;
  if (known.code === 'deadline_exceeded') {
    return new CodeExecutorError('deadline_exceeded', `${shown(url)} took too long; try again.`, {
      cause: error,
    });
  }
  const { cause } = error as { cause?: { code?: string } };
  const reason = cause?.code ?? 'the connection broke';
  return new CodeExecutorError('unavailable', `${shown(url)} cannot be reached (${reason}).`, {
    cause: error,
  });
}
