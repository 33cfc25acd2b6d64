import type { CodeExecutorError } from '@code-executor/contracts';
import type { RefusedAs } from '@code-executor/http-server';
import { isJSONRPCRequest, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Of the range that JSON-RPC leaves to servers; the SDK uses the same two. */
const serverError = -32_000;
const sessionNotFound = -32_001;

/**
 * The body of an answer that refuses a request, as JSON-RPC. It names the request if that could be read, and its `data` has
 * our own code for the error.
 */
export function jsonRpcErrorBody(error: CodeExecutorError, refused: RefusedAs): object {
  const { code, message, retryAfterMs } = error;
  const data = { code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const id = isJSONRPCRequest(refused.body) ? refused.body.id : null;
  return { jsonrpc: '2.0', id, error: { code: numberOf(refused), message, data } };
}

function numberOf({ status, method, body }: RefusedAs): number {
  if (status === 400 && method === 'POST' && body === undefined) return ProtocolErrorCode.ParseError;
  if (status === 400 && Array.isArray(body)) return ProtocolErrorCode.InvalidRequest;
  if (status === 404) return sessionNotFound;
  return status >= 500 ? ProtocolErrorCode.InternalError : serverError;
}
