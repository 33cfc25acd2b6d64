import { isRecord } from './json-record.js';

/** What a request gets whose answer cannot be understood. */
export interface ErrorReply {
  jsonrpc: '2.0';
  id: string | number;
  error: { code: number; message: string };
}

/**
 * For a line that is no MCP message but answers a request, an error in its place, so that the request
 * does not wait for its time limit; undefined for any other line.
 */
export function errorForMalformedReply(line: string): ErrorReply | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || 'method' in value) return undefined;
  const { id } = value;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  return {
    jsonrpc: '2.0',
    id: id as string | number,
    error: { code: -32603, message: 'its answer is no MCP message' },
  };
}
