const entry =
  /^(?:(?<below>\*\.)?(?<name>[\p{L}\p{M}\p{N}_.-]+)|(?<address>\[[\da-f:.]+\]))(?::(?<port>\d{1,5}))?$/iu;
const anyHost = /^\*(?::(?<port>\d{1,5}))?$/u;
const bareAddress = /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/iu;
const maxPort = 65_535;
/** What DNS allows. Names come from hostile programs, and writing them as a URL does takes a time quadratic in a label. */
const maxNameChars = 253;
const maxLabelChars = 63;
const maxEntryChars = '*.'.length + maxNameChars + ':65535'.length;

/**
 * The hosts that an entry of `security.allowNetwork`, of `permissions.net` or of a fetcher's `allow` names:
 *
 * - `example.com`, `8.8.8.8`, `[::1]` or `::1`: this host, on the scheme's own port (80, 443)
 * - `*.example.com`: every host below it, not itself
 * - `example.com:8443`, `*.example.com:8443`, `[::1]:8443`: the same on this port alone
 *
 * Hosts are compared as URLs write them, so that case and international spelling do not matter.
 */
export class HostPattern {
  /** The host, or what its name ends with. */
  readonly #host: string;
  readonly #isEnding: boolean;
  /** Undefined for the scheme's own. */
  readonly #port: number | undefined;

  private constructor(host: string, isEnding: boolean, port: number | undefined) {
    this.#host = host;
    this.#isEnding = isEnding;
    this.#port = port;
  }

  /** Undefined for a text that names no hosts. */
  static parse(text: string): HostPattern | undefined {
    if (text.length > maxEntryChars) return undefined;
    const groups = entry.exec(bareAddress.test(text) ? `[${text}]` : text)?.groups;
    if (!groups) return undefined;
    const { below, name, address, port } = groups;
    const host = hostnameOf(name ?? address);
    if (host === undefined || !isPort(port)) return undefined;
    const isEnding = below !== undefined;
    return new HostPattern(isEnding ? `.${host}` : host, isEnding, numberOf(port));
  }

  /** As `parse`, for the most that may be granted: `*` and `*:8443` are all hosts. */
  static parseCeiling(text: string): HostPattern | undefined {
    const groups = anyHost.exec(text)?.groups;
    if (!groups) return HostPattern.parse(text);
    return isPort(groups['port']) ? new HostPattern('', true, numberOf(groups['port'])) : undefined;
  }

  /** Whether a URL is one of these hosts, on their port. */
  matches(url: URL): boolean {
    const isOwnPort = url.port === '';
    if (this.#port === undefined ? !isOwnPort : this.#port !== portOf(url)) return false;
    return this.#isEnding
      ? url.hostname.endsWith(this.#host) && url.hostname.length > this.#host.length
      : url.hostname === this.#host;
  }

  /** Whether `ceiling` has all these hosts. A port is within the same port only, because schemes differ in theirs. */
  isWithin(ceiling: HostPattern): boolean {
    if (this.#port !== ceiling.#port) return false;
    if (!ceiling.#isEnding) return !this.#isEnding && this.#host === ceiling.#host;
    const isLonger = this.#host.length > ceiling.#host.length;
    return this.#host.endsWith(ceiling.#host) && (this.#isEnding || isLonger);
  }
}

function hostnameOf(name = ''): string | undefined {
  if (name.split('.').some((label) => label.length > maxLabelChars)) return undefined;
  const url = `https://${name}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function isPort(digits: string | undefined): boolean {
  return digits === undefined || (Number(digits) > 0 && Number(digits) <= maxPort);
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
