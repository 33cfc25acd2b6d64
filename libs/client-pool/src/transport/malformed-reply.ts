import { isRecord } from '../json-record.js';

/** A code of our own, as that of answers that are too large. */
export const answerMalformed = -32_098;

/** What a request gets whose answer cannot be understood. */
export interface ErrorReply {
  jsonrpc: '2.0';
  id: string | number;
  error: { code: number; message: string };
}

/**
 * An error in place of a line that answers a request but is not an MCP message, so that the request does not wait for
 * its time limit; undefined for any other line.
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
    error: { code: answerMalformed, message: 'its answer is no MCP message' },
  };
}
