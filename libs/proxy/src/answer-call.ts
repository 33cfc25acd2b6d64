import { type CallOptions, CodeExecutorError, ToolFailure } from '@code-executor/contracts';

import type { RequestedCall } from './parse-call.js';
import type { ToolProxy } from './tool-proxy.js';
import { unwrapToolResult } from './unwrap-tool-result.js';

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
  if (raw) return { status: 200, json: encode({ result }) };
  const error = await ToolFailure.of(result, toolName, proxy, options);
  if (error) return { status: toolErrorStatus, json: encode({ error }) };
  return { status: 200, json: encode({ result: unwrapToolResult(result) }) };
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
