import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

import { isRecord } from '../json-record.js';

/**
 * A line as an MCP message; throws where it is none. The SDK's schema is asked only where a look does not tell:
 * it takes as long as the rest of a call, and the SDK asks it again of what it gets.
 */
export function parseMessage(line: string): JSONRPCMessage {
  const value: unknown = JSON.parse(line);
  return isPlainAnswer(value) ? value : JSONRPCMessageSchema.parse(value);
}

/** A result without metadata, and nothing else. */
function isPlainAnswer(value: unknown): value is JSONRPCMessage {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0' || Object.keys(value).length !== 3) return false;
  const { id, result } = value;
  return Number.isSafeInteger(id) && isRecord(result) && !('_meta' in result);
}
