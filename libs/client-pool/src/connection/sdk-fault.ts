import * as sseModule from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

import type { RequestFault } from './connection-errors.js';
import { answerCrowded, answerTooLarge } from '../transport/cut-reply.js';
import { answerMalformed } from '../transport/malformed-reply.js';
import type { Present } from './presentable.js';

const { SseError }: { SseError: typeof sseModule.SseError } = sseModule;

/** The SDK's prefix, which servers on the same SDK put into their messages, too. */
const errorPrefix = /^(?:\w*Error: |MCP error -?\d+: )+/;
const faultKinds = new Map<number, RequestFault['kind']>([
  [ErrorCode.RequestTimeout, 'timed_out'],
  [ErrorCode.InvalidParams, 'invalid_params'],
  [ErrorCode.MethodNotFound, 'method_not_found'],
  [answerTooLarge, 'too_large'],
  [answerCrowded, 'crowded'],
  [answerMalformed, 'malformed'],
]);

/** Codes of errors that replace an answer in this process; they mean nothing elsewhere. */
const ownCodes: ReadonlySet<number> = new Set([answerTooLarge, answerCrowded, answerMalformed]);

/** An error of the MCP SDK in words that do not depend on it. */
export function toRequestFault(error: unknown, present: Present): RequestFault {
  const message = present(String(error).replace(errorPrefix, ''));
  // Only the bounded message is kept, because the error itself may hold megabytes.
  if (error instanceof McpError) {
    const kind = faultKinds.get(error.code) ?? 'other';
    return { kind, message, ...(!ownCodes.has(error.code) && { rpcCode: error.code }) };
  }
  if (error instanceof StreamableHTTPError || error instanceof SseError) {
    // The SDK's code for an answer that is neither JSON nor an event stream.
    if (error.code === -1) return { kind: 'media_type', message };
    return error.code === undefined
      ? { kind: 'other', message }
      : { kind: 'http', status: error.code, message };
  }
  return { kind: 'other', message, cause: error };
}
