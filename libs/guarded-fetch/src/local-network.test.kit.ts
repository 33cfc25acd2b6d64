import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';

import { CodeExecutorError, type HttpRequest, type HttpResponse } from '@code-executor/contracts';

import { createGuardedFetch, type GuardedFetchOptions } from './index.js';

/** A public address to which these tests never connect. */
export const publicAddress = '93.184.215.14';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A real HTTP server on the loopback device, and a fetcher that takes it for the whole internet: names
 * resolve to a public address unless `addresses` says otherwise, and every connection goes to the server.
 */
export async function localNetwork(answer: Answer, options: GuardedFetchOptions = {}) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: realPort } = server.address() as AddressInfo;
  const looked: string[] = [];
  const dialled: string[] = [];
  const addresses = new Map<string, readonly string[]>();
  const fetcher = createGuardedFetch({
    lookup: (hostname) => {
      looked.push(hostname);
      return Promise.resolve(addresses.get(hostname) ?? [publicAddress]);
    },
    connect: (address, port): Socket => {
      dialled.push(`${address}:${port}`);
      return connect(realPort, '127.0.0.1');
    },
    ...options,
  });
  return {
    looked,
    dialled,
    addresses,
    realPort,
    fetcher,
    fetch: (
      request: Partial<HttpRequest> & { url: string },
      allow = ['*.example.com', 'example.com'],
      signal?: AbortSignal,
    ) => fetcher.fetch({ method: 'GET', headers: [], ...request }, { allow, ...(signal && { signal }) }),
    close: async () => {
      await fetcher.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The error of a request that must fail. */
export async function errorOf(request: Promise<HttpResponse>): Promise<CodeExecutorError> {
  const reason: unknown = await request.then(
    () => new Error('The request succeeded.'),
    (error: unknown) => error,
  );
  if (!CodeExecutorError.is(reason)) throw reason;
  return reason;
}

const open: { close: () => Promise<void> }[] = [];

/** Has `closeAll()` close it, which belongs into `afterEach`. */
export function toClose<Closable extends { close: () => Promise<void> }>(closable: Closable): Closable {
  open.push(closable);
  return closable;
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((one) => one.close()));
}

/** A listening server, which is closed after the test; its port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  toClose({ close: () => Promise.resolve(void server.close()) });
  return (server.address() as AddressInfo).port;
}

export const textOf = (response: HttpResponse): string => Buffer.from(response.body).toString();
