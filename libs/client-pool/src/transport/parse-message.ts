import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/client';

import { isRecord } from '../json-record.js';

/**
 * A line as an MCP message; throws if it is not one. The SDK's schema checks only what a quick look cannot decide,
 * because it takes as long as the rest of a call, and the SDK checks what it gets once more.
 */
export function parseMessage(line: string): JSONRPCMessage {
  const value: unknown = JSON.parse(line);
  return isPlainAnswer(value) ? value : parseJSONRPCMessage(value);
}

/** A result without metadata, and nothing else. */
function isPlainAnswer(value: unknown): value is JSONRPCMessage {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0' || Object.keys(value).length !== 3) return false;
  const { id, result } = value;
  return Number.isSafeInteger(id) && isRecord(result) && !('_meta' in result);
}
