import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { createServer, type ServerOptions } from './create-server.js';
import type { FormAnswer, QuestionForm } from './questions/question-form.js';
import type { Era } from './requesting-client.js';

export interface TestClientOptions {
  era?: Era;
  name?: string;
  callerId?: string;
  /** What the person does with a form. Without it, the client cannot show any. */
  onForm?: (form: QuestionForm) => FormAnswer | Promise<FormAnswer>;
}

/** Serves one connection in memory, as stdin and stdout are served; returns the client's end of it. */
export function serveInMemory(options: ServerOptions, callerId = 'stdio'): InMemoryTransport {
  const caller = () => ({ id: callerId, kind: 'stdio' as const });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  serveStdio(({ era }) => createServer(options, { era, caller }), { transport: serverSide });
  return clientSide;
}

/** A client of the SDK, connected to a server in memory. */
export async function connectClient(
  options: ServerOptions,
  { era = 'legacy', name = 'test', callerId, onForm }: TestClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name, version: '0' },
    {
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' },
      capabilities: onForm ? { elicitation: { form: {} } } : {},
    },
  );
  if (onForm) {
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => (await onForm(params as QuestionForm)) as { action: 'accept' },
    );
  }
  await client.connect(serveInMemory(options, callerId));
  return client;
}
