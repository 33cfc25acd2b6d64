import { isIPv6 } from 'node:net';

/** The port of the URL, its scheme's own where it names none. */
export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

/**
 * Whether one of the entries names the URL's host: `host` on its scheme's own port, `host:port`, or
 * `*.example.com` for all names below it, not itself. Both sides are written as URLs write them, so that
 * case and international names do not matter; an entry that is no host matches nothing.
 */
export function isAllowedHost(url: URL, allow: readonly string[]): boolean {
  return allow.some((entry) => matchesEntry(url, entry));
}

function matchesEntry(url: URL, entry: string): boolean {
  const [, host, port] =
    /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(isIPv6(entry) ? `[${entry}]` : entry) ?? [];
  if (host === undefined) return false;
  if (port === undefined ? url.port !== '' : Number(port) !== portOf(url)) return false;
  if (!host.startsWith('*.')) return url.hostname === normalizedHost(host);
  const parent = normalizedHost(host.slice(2));
  return parent !== undefined && url.hostname.endsWith(`.${parent}`);
}

function normalizedHost(host: string): string | undefined {
  // Nothing that would be another part of a URL.
  if (host === '' || /[\s/\\?#@*]/.test(host)) return undefined;
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return undefined;
  }
}
