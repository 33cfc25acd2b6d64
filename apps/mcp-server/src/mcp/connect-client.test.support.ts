import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { createServer, type ServerOptions } from './create-server.js';
import type { Era } from './requesting-client.js';

/** A server as it serves stdin and stdout, and a client of the SDK connected to it in memory. */
export async function connectClient(
  options: ServerOptions,
  { era = 'legacy', name = 'test' }: { era?: Era; name?: string } = {},
): Promise<Client> {
  const caller = () => ({ id: 'stdio', kind: 'stdio' as const });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  serveStdio((connection) => createServer(options, { era: connection.era, caller }), {
    transport: serverSide,
  });
  const mode = era === 'legacy' ? 'legacy' : 'auto';
  const client = new Client({ name, version: '0' }, { versionNegotiation: { mode } });
  await client.connect(clientSide);
  return client;
}
