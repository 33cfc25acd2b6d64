import { CodeExecutorError } from '@code-executor/contracts';

const maxBytes = 1024 * 1024;
const timeoutMs = 30_000;
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);
const errorCode = /^[a-z0-9_]{1,64}$/;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` for the requests of a login. Answers are bounded in time and size; of an error only its code is passed on,
 * because the SDK would write the rest to stderr; and only places are asked that the server may name.
 */
export function oauthFetch(serverUrl: string, signal?: AbortSignal): Fetch {
  return async (url, init) => {
    if (!mayBeAsked(new URL(url), new URL(serverUrl))) {
      throw new CodeExecutorError('failed_precondition', 'its login leads to an address without TLS');
    }
    const signals = [AbortSignal.timeout(timeoutMs), ...[signal, init?.signal].filter((one) => one != null)];
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
    const text = await textOf(response);
    const { status, statusText, headers } = response;
    const body = bodiless.has(status) ? null : response.ok ? text : errorIn(text);
    const passed = new Headers(headers);
    for (const name of ['content-encoding', 'content-length']) passed.delete(name);
    return new Response(body, { status, statusText, headers: passed });
  };
}

/** TLS, or this machine if the server is on it, or the server itself. */
export function mayBeAsked(url: URL, server: URL): boolean {
  if (url.protocol === 'https:' || url.origin === server.origin) return true;
  return url.protocol === 'http:' && isLoopback(url) && isLoopback(server);
}

function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes)
      throw new CodeExecutorError('resource_exhausted', 'its login answers with too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function errorIn(text: string): string {
  let code: unknown;
  try {
    code = (JSON.parse(text) as { error?: unknown } | null)?.error;
  } catch {
    return '';
  }
  return typeof code === 'string' && errorCode.test(code) ? JSON.stringify({ error: code }) : '';
}
