import { CodeExecutorError } from '@code-executor/contracts';

/** Which `Host` a request may name: a web page whose own name resolves to this address (DNS rebinding) names another. */
export interface HostRule {
  /** Whether clients may come through a proxy that ends TLS, because the names are those that they use. */
  readonly allowsTls: boolean;
  accepts(host: string, port: number): boolean;
  /** What a client with another `Host` gets to read. */
  explain(port: number): string;
}

/** The names with the port of the listener, as clients on the same machine write them. */
export function ownHosts(names: readonly string[]): HostRule {
  const hostsAt = (port: number) => {
    const hosts = names.map((name) => `${name}:${port}`);
    // Clients leave out the default port.
    return port === 80 ? [...hosts, ...names] : hosts;
  };
  return {
    allowsTls: false,
    accepts: (host, port) => hostsAt(port).includes(host.toLowerCase()),
    explain: (port) => `This server answers to the Host ${hostsAt(port).join(' or ')} only.`,
  };
}

/**
 * The names with any port or none, because a reverse proxy or a container listens on a port of its own. Throws
 * `invalid_argument` for what is not a host name.
 */
export function namedHosts(names: readonly string[]): HostRule {
  const known = new Set(names.map(parseName));
  return {
    allowsTls: true,
    accepts: (host) => known.has(/^(.+?)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1] ?? ''),
    explain: () => 'This server does not answer to that Host.',
  };
}

/** Letters, digits, dots and hyphens, or an IPv6 address in brackets or without. */
const namePattern = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/;

function parseName(text: string): string {
  const name = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  const lower = name.toLowerCase();
  if (namePattern.test(lower)) return lower;
  const problem = `${JSON.stringify(text)} is not a host name; give a name such as "box.example" or an address, without a port.`;
  throw new CodeExecutorError('invalid_argument', problem);
}
