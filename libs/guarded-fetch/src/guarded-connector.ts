import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';

import { CodeExecutorError, untilAborted } from '@code-executor/contracts';
import { buildConnector } from 'undici';

import { isPublicAddress } from './public-address.js';

/** How long the resolver may take, and then the connection to each address. */
const connectTimeoutMs = 10_000;
/** How many addresses of a host are tried. */
const maxAddresses = 4;

/** How names are resolved and connections opened; replaced in tests. */
export interface Network {
  /** All addresses of a host name. */
  lookup: (hostname: string) => Promise<readonly string[]>;
  /** Opens a TCP connection to an address that was found to be public. */
  connect: (address: string, port: number) => Socket;
}

/**
 * Connects to public hosts only. The name is resolved once, here; every address must be public, and the
 * connection goes to an address that was checked, so a second answer of the resolver cannot matter.
 */
export function guardedConnector(network: Network): buildConnector.connector {
  const startTls = buildConnector({ timeout: connectTimeoutMs });
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    dial(network, options.hostname, port).then(
      (socket) => {
        // TLS checks the certificate against the name, not against the address.
        if (options.protocol === 'https:') startTls({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

async function dial({ lookup, connect }: Network, hostname: string, port: number): Promise<Socket> {
  const addresses = isIP(hostname) === 0 ? await resolve(lookup, hostname) : [hostname];
  if (!addresses.every(isPublicAddress)) {
    // The error does not show the address, because the program must not learn how names resolve in the private network.
    const problem = `Host ${hostname} is not reached because it is not a public address; fetch has no way into private networks.`;
    throw new CodeExecutorError('permission_denied', problem);
  }
  let failure: unknown = Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' });
  for (const address of addresses.slice(0, maxAddresses)) {
    try {
      return await open(connect(address, port));
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Looks up a name for a limited time, so that a resolver that never answers does not hold a connection for ever. */
function resolve(lookup: Network['lookup'], hostname: string): Promise<readonly string[]> {
  return untilAborted(lookup(hostname), AbortSignal.timeout(connectTimeoutMs));
}

async function open(socket: Socket): Promise<Socket> {
  // A reset that comes before anything else listens must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) });
    return socket.setNoDelay(true);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
