import type { Caller, Logger } from '@code-executor/contracts';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';

import type { AskUser } from './ask-trust.js';
import { quirksOf } from './client-quirks.js';
import { createProgress } from './progress.js';
import type { Tool } from './tool.js';
import { toToolResult } from './tool-result.js';

/** Long, because nothing waits for the user's answer. */
const questionTimeoutMs = 600_000;

export interface ServerOptions {
  version: string;
  /** Who calls the tools. */
  caller: Caller;
  /** Shown to the model: when to use the tools. */
  instructions: string;
  /** Called with each call of a tool; `askUser` is undefined if the client cannot ask a person. */
  onCall?: (askUser: AskUser | undefined) => void;
  /** Called only when a client lists or calls tools. */
  tools: () => Promise<readonly Tool[]>;
  logger: Logger;
}

/**
 * The tools as an MCP server. They are not registered with the SDK's high-level class, because that would answer bad input
 * with messages of its own, before a tool sees it.
 */
export function createServer({
  version,
  caller,
  instructions,
  onCall,
  tools,
  logger,
}: ServerOptions): McpServer {
  const info = { name: 'code-executor', title: 'Code Executor', version };
  const mcpServer = new McpServer(info, { instructions });
  const { server } = mcpServer;
  // A changed configuration may switch languages on or off.
  server.registerCapabilities({ tools: { listChanged: true } });
  server.onerror = (error) => logger.warn({ err: error }, 'A message of the client was not understood.');

  const quirks = () => quirksOf(server.getClientVersion()?.name);

  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await tools()).map(({ name, title, description, inputSchema, outputSchema, annotations }) => {
      const promised = quirks().dropsPictures ? {} : { outputSchema };
      return { name, title, description, inputSchema, ...promised, annotations };
    }),
  }));

  const askUser = askThrough(server);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    onCall?.(server.getClientCapabilities()?.elicitation?.form ? askUser : undefined);
    const offered = await tools();
    const tool = offered.find(({ name }) => name === params.name);
    if (!tool) {
      const name = JSON.stringify(params.name.slice(0, 60));
      const known = offered.map((each) => each.name).join(', ');
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${name}; the tools are ${known}.`);
    }
    const { traceparent } = params._meta ?? {};
    const progress = progressOf(params, extra, logger);
    try {
      const outcome = await tool.call(params.arguments ?? {}, {
        caller,
        signal: extra.signal,
        ...(typeof traceparent === 'string' && { traceparent }),
        ...(progress && { onProgress: (message) => progress.report(message) }),
      });
      return toToolResult(outcome, quirks());
    } finally {
      progress?.end();
    }
  });
  return mcpServer;
}

/** Asks the person at the client, if there is one. */
function askThrough(server: McpServer['server']): AskUser {
  return async (message) => {
    const requestedSchema = { type: 'object' as const, properties: {} };
    // Not `elicitInput`, which would load a JSON Schema validator for an answer without fields.
    const { action } = await server.request(
      { method: 'elicitation/create', params: { message, requestedSchema } },
      ElicitResultSchema,
      { timeout: questionTimeoutMs },
    );
    return action === 'accept';
  };
}

/** Sends the progress of a call; undefined if the client did not ask for it. */
function progressOf(
  { _meta: { progressToken } = {} }: CallToolRequest['params'],
  { sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
  logger: Logger,
) {
  if (progressToken === undefined) return undefined;
  return createProgress((progress, message) => {
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    }).catch((error: unknown) => logger.debug({ err: error }, 'Progress was not sent.'));
  });
}

/**
 * Connects the server to stdin and stdout. `onClosed` is called when the connection ends, for example because of a message
 * that is too large.
 */
export async function connectStdio(mcpServer: McpServer, onClosed: () => void): Promise<void> {
  mcpServer.server.onclose = onClosed;
  await mcpServer.connect(new StdioServerTransport());
}
