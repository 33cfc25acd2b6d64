import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';

import { toScopes } from '../login/login-file.js';
import { LoginNeeded } from '../login/login-needed.js';
import type { RequestFault } from './connection-errors.js';
import { answerCrowded, answerTooLarge } from '../transport/cut-reply.js';
import { answerMalformed } from '../transport/malformed-reply.js';
import type { Present } from './presentable.js';

/** The SDK's prefix, which servers on the same SDK put into their messages, too. */
const errorPrefix = /^(?:\w*Error: |MCP error -?\d+: )+/;
const faultKinds = new Map<number, RequestFault['kind']>([
  [ProtocolErrorCode.InvalidParams, 'invalid_params'],
  [ProtocolErrorCode.MethodNotFound, 'method_not_found'],
  [answerTooLarge, 'too_large'],
  [answerCrowded, 'crowded'],
  [answerMalformed, 'malformed'],
]);

const localKinds = new Map<SdkErrorCode, RequestFault['kind']>([
  [SdkErrorCode.RequestTimeout, 'timed_out'],
  [SdkErrorCode.ClientHttpUnexpectedContent, 'media_type'],
]);

/** Codes of errors that replace an answer in this process; they mean nothing elsewhere. */
const ownCodes: ReadonlySet<number> = new Set([answerTooLarge, answerCrowded, answerMalformed]);

/** An error of the MCP SDK in words that do not depend on it. */
export function toRequestFault(error: unknown, present: Present): RequestFault {
  const message = present(String(error).replace(errorPrefix, ''));
  // Only the bounded message is kept, because the error itself may hold megabytes.
  if (error instanceof ProtocolError) {
    const kind = faultKinds.get(error.code) ?? 'other';
    return { kind, message, ...(!ownCodes.has(error.code) && { rpcCode: error.code }) };
  }
  if (error instanceof LoginNeeded) return { kind: 'login', message };
  if (error instanceof InsufficientScopeError) {
    return { kind: 'scope', scopes: toScopes(error.requiredScope), message };
  }
  if (error instanceof SdkHttpError) return { kind: 'http', status: error.status, message };
  if (error instanceof SseError) {
    return error.code === undefined
      ? { kind: 'other', message }
      : { kind: 'http', status: error.code, message };
  }
  if (error instanceof SdkError) {
    const kind = localKinds.get(error.code);
    // The cause is the system's word for what happened to a request.
    return kind === undefined ? { kind: 'other', message, cause: error } : { kind, message };
  }
  return { kind: 'other', message, cause: error };
}
