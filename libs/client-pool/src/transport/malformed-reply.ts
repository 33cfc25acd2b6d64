import { isRecord } from '../json-record.js';

/** Ours, as the code of answers that are too large: a server that sends it says that its answers make no sense. */
export const answerMalformed = -32_098;

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
    error: { code: answerMalformed, message: 'its answer is no MCP message' },
  };
}
