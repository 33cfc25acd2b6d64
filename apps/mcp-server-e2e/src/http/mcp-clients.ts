import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import type { Form, OnForm } from '../protocol/person.js';
import type { StartedHttpServer } from '../server-under-test/started-http-server.js';

/** `legacy`: with `initialize` and a session. `auto`: asks for 2026-07-28, which the server speaks. */
export type Mode = 'legacy' | 'auto';
export const modes: readonly Mode[] = ['legacy', 'auto'];

const open: Client[] = [];

export interface McpClient {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Runs a TypeScript program; the structured result. */
  run: (code: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>;
  call: (name: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;
}

/** Connects a client of the SDK to `/mcp`. */
export async function connectMcp(
  server: Pick<StartedHttpServer, 'url'>,
  token: string | undefined,
  mode: Mode,
  options: ClientOptions = {},
  onForm?: OnForm,
): Promise<McpClient> {
  const client = new Client({ name: 'e2e', version: '0' }, { versionNegotiation: { mode }, ...options });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers },
  });
  if (onForm) client.setRequestHandler('elicitation/create', ({ params }) => onForm(params as Form));
  await client.connect(transport);
  open.push(client);
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent } = await client.callTool({ name, arguments: args });
    return structuredContent as Record<string, unknown>;
  };
  const run = (code: string, args = {}) => call('executeTypescript', { code, ...args });
  return { client, transport, run, call };
}

/** Closes all clients. */
export async function closeClients(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close().catch(() => undefined)));
}
