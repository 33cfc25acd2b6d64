import type { Caller, Logger } from '@code-executor/contracts';
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';

import type { AskUser } from '../ask-trust.js';
import type { Tool } from '../tool.js';
import { quirksOf } from './client-quirks.js';
import { logErrors } from './log-errors.js';
import { createProgress } from './progress.js';
import { clientOf, type Era } from './requesting-client.js';
import { toToolResult } from './tool-result.js';

/** Long, because nothing waits for the user's answer. */
const questionTimeoutMs = 600_000;

/** How long a client of 2026-07-28 may go on with a list of tools. It is told of changes, if it listens. */
const toolListTtlMs = 60_000;

/** What all servers of a process have in common. */
export interface ServerOptions {
  version: string;
  /** Shown to the model: when to use the tools. */
  instructions: () => string;
  /** Called with each call of a tool; `askUser` is undefined if the client cannot ask a person. */
  onCall?: (askUser: AskUser | undefined) => void;
  /** Called only when a client lists or calls tools. */
  tools: (caller: Caller) => Promise<readonly Tool[]>;
  logger: Logger;
}

/** What a server serves: a connection, or over HTTP a session or one request of 2026-07-28. */
export interface Served {
  era: Era;
  /** Who calls the tools; asked with each request. */
  caller: () => Caller;
}

/**
 * The tools as an MCP server of either era. It starts nothing, because a client that looks whether a server knows 2026-07-28
 * gets a server of its own for that. Tools are not registered with the SDK's high-level class, which would answer bad input
 * with messages of its own, before a tool sees it.
 */
export function createServer(options: ServerOptions, { era, caller }: Served): Server {
  const { version, instructions, tools, onCall, logger } = options;
  const server = new Server(
    { name: 'code-executor', title: 'Code Executor', version },
    {
      instructions: instructions(),
      // A changed configuration may switch languages on or off.
      capabilities: { tools: { listChanged: true } },
      cacheHints: { 'tools/list': { ttlMs: toolListTtlMs, cacheScope: 'private' } },
    },
  );
  server.onerror = logErrors(logger);
  const quirks = (context: ServerContext) => quirksOf(clientOf(server, era, context).name);

  server.setRequestHandler('tools/list', async (_request, context) => ({
    tools: (await tools(caller())).map(
      ({ name, title, description, inputSchema, outputSchema, annotations }) => {
        const promised = quirks(context).dropsPictures ? {} : { outputSchema };
        return {
          name,
          title,
          description,
          inputSchema: { ...inputSchema, type: 'object' as const },
          ...promised,
          annotations,
        };
      },
    ),
  }));

  const askUser = askThrough(server);
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    onCall?.(era === 'legacy' && clientOf(server, era, context).canShowForms ? askUser : undefined);
    const offered = await tools(caller());
    const tool = offered.find(({ name }) => name === params.name);
    if (!tool) {
      const name = JSON.stringify(params.name.slice(0, 60));
      const known = offered.map((each) => each.name).join(', ');
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool ${name}; the tools are ${known}.`,
      );
    }
    const { signal, _meta: meta } = context.mcpReq;
    const traceparent = meta?.['traceparent'];
    const progress = progressOf(context, logger);
    try {
      const outcome = await tool.call(params.arguments ?? {}, {
        caller: caller(),
        signal,
        ...(typeof traceparent === 'string' && { traceparent }),
        ...(progress && { onProgress: (message) => progress.report(message) }),
      });
      return toToolResult(outcome, quirks(context));
    } finally {
      progress?.end();
    }
  });
  return server;
}

/** Asks the person at a client that has a connection for requests of the server. */
function askThrough(server: Server): AskUser {
  return async (message) => {
    const requestedSchema = { type: 'object' as const, properties: {} };
    // Not `elicitInput`, which would load a JSON Schema validator for an answer without fields.
    const { action } = await server.request(
      { method: 'elicitation/create', params: { message, requestedSchema } },
      { timeout: questionTimeoutMs },
    );
    return action === 'accept';
  };
}

/** Sends the progress of a call; undefined if the client did not ask for it. */
function progressOf({ mcpReq: { _meta: meta, notify } }: ServerContext, logger: Logger) {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return createProgress((progress, message) => {
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(
      (error: unknown) => logger.debug({ err: error }, 'Progress was not sent.'),
    );
  });
}
