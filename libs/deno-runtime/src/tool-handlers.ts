import {
  CodeExecutorError,
  type JsonObject,
  type ToolHit,
  type ToolName,
  type ToolResult,
  type ToolSource,
  unwrapToolResult,
} from '@code-executor/contracts';

import { type HostCallHandler, ToolFailure } from './host-calls.js';

/** Longest text of a failed tool that becomes the message of an exception. */
const maxErrorChars = 4000;

/** The two verbs of a `ToolSource`, as sandboxed code asks for them. */
export function toolHandlers(tools: ToolSource<ToolHit>): [method: string, handler: HostCallHandler][] {
  return [
    ['callTool', (params, signal) => callTool(tools, params, signal)],
    ['listTools', (params, signal) => listTools(tools, params, signal)],
  ];
}

async function callTool(
  tools: ToolSource<ToolHit>,
  { name, args, raw }: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  if (typeof name !== 'string') {
    throw new CodeExecutorError('invalid_argument', 'callMCPTool takes the name of a tool as a string.');
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new CodeExecutorError(
      'invalid_argument',
      `callMCPTool takes the arguments of ${name.slice(0, 200)} as one object.`,
      { tool: name },
    );
  }
  const result = await tools.callTool(name as ToolName, args, { signal });
  if (raw === true) return result;
  if (result.isError) throw new ToolFailure(errorText(result), name, await serverOf(tools, name, signal));
  return unwrapToolResult(result);
}

function errorText(result: ToolResult): string {
  const texts = result.content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []));
  const text = texts.join('\n').trim();
  return text ? text.slice(0, maxErrorChars) : 'The tool failed and gave no reason.';
}

/** The listing is at hand once a tool has answered. */
async function serverOf(
  tools: ToolSource<ToolHit>,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { tools: found } = await tools.listTools({ name, signal });
  return found[0]?.server;
}

async function listTools(
  tools: ToolSource<ToolHit>,
  { query, limit, name }: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  if (limit !== undefined && (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)) {
    throw new CodeExecutorError('invalid_argument', 'The limit of a search is a whole number from 1.');
  }
  const listing = await tools.listTools({
    signal,
    ...(typeof query === 'string' && { query: query.slice(0, 1000) }),
    ...(limit !== undefined && { limit }),
    ...(typeof name === 'string' && { name }),
  });
  return listing.tools;
}
