import {
  type CallOptions,
  CodeExecutorError,
  type ToolResult,
  unwrapToolResult,
} from '@code-executor/contracts';

import type { RequestedCall } from './parse-call.js';
import type { ToolProxy } from './tool-proxy.js';

/** Longest text of a failed tool that becomes the message of an error. */
const maxErrorChars = 4000;
/** The upstream server answered, but not with what was asked for: what a gateway calls bad. */
const toolErrorStatus = 502;
/** As much as programs get of one call. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** An answer with its body as JSON. */
export interface CallAnswer {
  status: number;
  json: string;
}

/** Calls a tool and words its result as programs in the sandbox see it; rejects as the proxy does. */
export async function answerCall(
  proxy: ToolProxy,
  { toolName, params, raw }: RequestedCall,
  options: CallOptions,
): Promise<CallAnswer> {
  const result = await proxy.callTool(toolName, params, options);
  if (result.isError !== true || raw) {
    return { status: 200, json: encode({ result: raw ? result : unwrapToolResult(result) }) };
  }
  // The listing is at hand once a tool has answered.
  const { tools } = await proxy.listTools({ name: toolName, ...options });
  const server = tools[0]?.server;
  const error = {
    code: 'tool_error',
    message: errorText(result),
    tool: toolName,
    ...(server !== undefined && { server }),
  };
  return { status: toolErrorStatus, json: encode({ error }) };
}

function errorText({ content }: ToolResult): string {
  const texts = content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []));
  const text = texts.join('\n').trim();
  return text ? text.slice(0, maxErrorChars) : 'The tool failed and gave no reason.';
}

function encode(body: object): string {
  let json: string;
  try {
    json = JSON.stringify(body);
  } catch (cause) {
    throw new CodeExecutorError('resource_exhausted', 'The result is nested too deep to be sent as JSON.', {
      cause,
    });
  }
  // No character takes more than three bytes, and counting them takes a while.
  if (3 * json.length > maxAnswerBytes && Buffer.byteLength(json) > maxAnswerBytes) {
    const problem = 'The result is larger than 16 MB; ask for less of it at a time.';
    throw new CodeExecutorError('resource_exhausted', problem);
  }
  return json;
}
