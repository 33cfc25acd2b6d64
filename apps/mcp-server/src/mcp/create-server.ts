import type { Caller, Logger } from '@code-executor/contracts';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';

import type { AskUser } from '../ask-trust.js';
import type { Tool, ToolOutcome } from '../tool.js';
import { callInNewEra, callInOldEra, callStates } from './calls/call-tool.js';
import type { KeptCalls } from './calls/kept-calls.js';
import { quirksOf } from './client-quirks.js';
import { logErrors } from './log-errors.js';
import { type LogLevel, logLevelFrom } from './logging/log-level.js';
import { clientOf, type Era } from './requesting-client.js';
import { serveTasks } from './tasks/serve-tasks.js';
import { tasksExtension } from './tasks/task-view.js';
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
  /** The calls that outlive their request. */
  kept: KeptCalls;
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
  const { version, instructions, tools, logger, kept } = options;
  const states = era === 'modern' ? callStates(kept, caller) : undefined;
  const server = new Server(
    { name: 'code-executor', title: 'Code Executor', version },
    {
      instructions: instructions(),
      capabilities: capabilitiesOf(era),
      cacheHints: { 'tools/list': { ttlMs: toolListTtlMs, cacheScope: 'private' } },
      ...(states && { requestState: { verify: (state, context) => states.verify(state, context) } }),
    },
  );
  server.onerror = logErrors(logger);
  const quirks = (context: ServerContext) => quirksOf(clientOf(server, era, context).name);
  const toResult = (outcome: ToolOutcome, context: ServerContext) => toToolResult(outcome, quirks(context));

  server.setRequestHandler('tools/list', async (_request, context) => {
    const { dropsPictures } = quirks(context);
    return { tools: (await tools(caller())).map((tool) => publishedTool(tool, dropsPictures === true)) };
  });

  let sessionLevel: LogLevel | undefined;
  const askUser = askThrough(server);
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const client = clientOf(server, era, context);
    const isOld = states === undefined;
    options.onCall?.(isOld && client.canShowForms ? askUser : undefined);
    const request = {
      tool: findTool(await tools(caller()), params.name),
      args: params.arguments ?? {},
      client: isOld ? { ...client, logLevel: sessionLevel } : client,
      caller: caller(),
      context,
      toResult: (outcome: ToolOutcome) => toResult(outcome, context),
      logger,
    };
    return isOld ? callInOldEra(request) : callInNewEra(request, kept, states);
  });

  if (states) serveTasks(server, { kept, caller, toResult });
  else {
    server.setRequestHandler('logging/setLevel', ({ params }) => {
      sessionLevel = logLevelFrom(params.level);
      return {};
    });
  }
  return server;
}

function capabilitiesOf(era: Era): ServerCapabilities {
  return {
    // A changed configuration may switch languages on or off.
    tools: { listChanged: true },
    logging: {},
    ...(era === 'modern' && { extensions: { [tasksExtension]: {} } }),
  };
}

function publishedTool(tool: Tool, withoutOutputSchema: boolean) {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    ...(!withoutOutputSchema && { outputSchema }),
    annotations,
  };
}

function findTool(offered: readonly Tool[], wanted: string): Tool {
  const tool = offered.find(({ name }) => name === wanted);
  if (tool) return tool;
  const known = offered.map(({ name }) => name).join(', ');
  const problem = `Unknown tool ${JSON.stringify(wanted.slice(0, 60))}; the tools are ${known}.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
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
