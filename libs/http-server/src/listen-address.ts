import { CodeExecutorError } from '@code-executor/contracts';

import { type HostRule, namedHosts, ownHosts } from './host-rule.js';

/** Where a listener binds, and what its clients may name. */
export interface ListenAddress {
  address: string;
  hosts: HostRule;
}

export interface AddressOptions {
  host: string;
  hostNames: readonly string[] | undefined;
  /** Whether any client needs a token. */
  hasAuthentication: boolean;
}

/** The addresses of this machine alone, with the names that a `Host` has for them by default. */
const loopbackHosts = new Map([
  ['127.0.0.1', { address: '127.0.0.1', names: ['127.0.0.1'] }],
  ['localhost', { address: '127.0.0.1', names: ['127.0.0.1', 'localhost'] }],
  ['::1', { address: '::1', names: ['[::1]'] }],
]);

/** Whether a server that listens there is reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.has(host);
}

/** Throws `invalid_argument` for an address that other machines reach, unless clients need tokens and hosts have names. */
export function listenAddress({ host, hostNames, hasAuthentication }: AddressOptions): ListenAddress {
  if (hostNames?.length === 0) {
    throw new CodeExecutorError('invalid_argument', 'hostNames is empty; name a host, or leave it out.');
  }
  const named = hostNames && namedHosts(hostNames);
  const loopback = loopbackHosts.get(host);
  if (loopback) return { address: loopback.address, hosts: named ?? ownHosts(loopback.names) };
  if (!hasAuthentication) throw refuse(host, 'clients need tokens');
  if (!named) throw refuse(host, 'hostNames says which names clients use in Host');
  return { address: host, hosts: named };
}

function refuse(host: string, condition: string): CodeExecutorError {
  const problem = `Other machines can reach host ${JSON.stringify(host)}; listen there only if ${condition}, or use 127.0.0.1, ::1 or localhost.`;
  return new CodeExecutorError('invalid_argument', problem);
}
