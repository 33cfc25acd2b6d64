import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { bin } from '../server-under-test/bin.js';
import { environmentOf } from '../server-under-test/home.js';
import type { Form, OnForm } from './person.js';
import { enveloped, introduction, type Message, RawServer } from './raw-server.js';

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (message: string | undefined) => void;
}

/** A client that is connected to the built server, whatever it is made with and whichever era it speaks. */
export interface EraClient {
  instructions: string | undefined;
  listTools(): Promise<{ name: string; outputSchema?: unknown; annotations?: unknown }[]>;
  /** Rejects with an error that has the JSON-RPC `code`. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

interface ConnectOptions {
  home: string;
  onToolsChanged: () => void;
  /** Answers forms; without it, the client cannot show any. Clients that speak in lines never can. */
  onForm?: OnForm;
  /** More variables for the server. */
  env?: Record<string, string>;
}

export const eraClients: Record<string, (options: ConnectOptions) => Promise<EraClient>> = {
  'the first SDK': connectOld,
  'the second SDK, with initialize': (options) => connectNew(options, 'legacy'),
  'the second SDK, with server/discover': (options) => connectNew(options, 'auto'),
  'lines of 2024-11-05': (options) => connectRaw(options, '2024-11-05'),
  'lines of 2025-06-18': (options) => connectRaw(options, '2025-06-18'),
  'lines of 2025-11-25': (options) => connectRaw(options, '2025-11-25'),
  'lines of 2026-07-28': (options) => connectRaw(options, '2026-07-28'),
};

/** Those that can show forms. */
export const sdkClients = Object.entries(eraClients).filter(([name]) => name.includes('SDK'));

const command = ({ home, env }: ConnectOptions) => ({
  command: process.execPath,
  args: [bin],
  cwd: home,
  env: environmentOf(home, env),
  stderr: 'ignore' as const,
});

const capabilitiesOf = ({ onForm }: ConnectOptions) => (onForm ? { elicitation: { form: {} } } : {});

async function connectOld(options: ConnectOptions): Promise<EraClient> {
  const { onForm } = options;
  const client = new OldClient({ name: 'e2e', version: '0' }, { capabilities: capabilitiesOf(options) });
  if (onForm) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onForm(params as Form));
  client.setNotificationHandler(ToolListChangedNotificationSchema, options.onToolsChanged);
  await client.connect(new OldTransport(command(options)));
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args, { signal, onProgress } = {}) =>
      client.callTool({ name, arguments: args }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ message }) => onProgress(message) }),
      }),
    close: () => client.close(),
  };
}

async function connectNew(options: ConnectOptions, mode: 'legacy' | 'auto'): Promise<EraClient> {
  const { onForm } = options;
  const client = new NewClient(
    { name: 'e2e', version: '0' },
    {
      capabilities: capabilitiesOf(options),
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, onChanged: options.onToolsChanged } },
    },
  );
  if (onForm) client.setRequestHandler('elicitation/create', ({ params }) => onForm(params as Form));
  await client.connect(new NewTransport(command(options)));
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args, { signal, onProgress } = {}) =>
      client.callTool(
        { name, arguments: args },
        {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ message }) => onProgress(message) }),
        },
      ),
    close: () => client.close(),
  };
}

async function connectRaw({ home, onToolsChanged }: ConnectOptions, version: string): Promise<EraClient> {
  const server = new RawServer(home);
  const isModern = version === '2026-07-28';
  const withEnvelope = (params: Record<string, unknown>, meta: Record<string, unknown> = {}) =>
    isModern
      ? enveloped(params, {}, meta)
      : { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  const opened = isModern
    ? await server.ask('server/discover', enveloped())
    : await server.ask('initialize', introduction(version));
  if (isModern) {
    server.request('subscriptions/listen', enveloped({ notifications: { toolsListChanged: true } }));
  } else {
    if (opened.result?.['protocolVersion'] !== version) throw new Error('It answered with another version.');
    server.send({ method: 'notifications/initialized' });
  }
  void server.received(({ method }) => method === 'notifications/tools/list_changed').then(onToolsChanged);
  return {
    instructions: opened.result?.['instructions'] as string,
    listTools: async () =>
      resultOf(await server.ask('tools/list', withEnvelope({})))['tools'] as { name: string }[],
    async callTool(name, args, { signal, onProgress } = {}) {
      const meta = onProgress ? { progressToken: 'token' } : {};
      const id = server.request('tools/call', withEnvelope({ name, arguments: args }, meta));
      signal?.addEventListener('abort', () => {
        server.send({ method: 'notifications/cancelled', params: { requestId: id } });
      });
      if (onProgress) {
        void server
          .received(({ params }) => params?.['progressToken'] === 'token')
          .then(({ params }) => onProgress(params?.['message'] as string));
      }
      return resultOf(await server.answerTo(id));
    },
    close: () => server.close(),
  };
}

function resultOf({ result, error }: Message): Record<string, unknown> {
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result ?? {};
}
