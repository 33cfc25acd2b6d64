import { CodeExecutorError, type JsonObject, type JsonValue } from '@code-executor/contracts';

import type { HostCall } from '../host-call.js';

/** Serves the `fetch` of sandboxed code through the fetcher, only for the granted hosts. */
export const fetch: HostCall = {
  async answer(params, { fetcher, net }, signal) {
    const { url, method, headers, body } = readRequest(params);
    if (!fetcher || net.length === 0) {
      throw new CodeExecutorError(
        'permission_denied',
        "This execution has no network. Ask for the host in permissions.net, which the server's security.allowNetwork must grant; or call a tool.",
      );
    }
    const request = { url, method, headers, ...(body !== undefined && { body }) };
    const response = await fetcher.fetch(request, { allow: net, signal });
    return { ...response, body: Buffer.from(response.body).toString('base64') };
  },
};

function readRequest({ url, method, headers, body }: JsonObject) {
  const isPair = (value: JsonValue): value is [string, string] =>
    Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
  if (
    typeof url !== 'string' ||
    typeof method !== 'string' ||
    !Array.isArray(headers) ||
    !headers.every(isPair) ||
    (body !== undefined && typeof body !== 'string')
  ) {
    throw new CodeExecutorError('invalid_argument', 'The sandbox sent a malformed HTTP request.');
  }
  return { url, method, headers, body: body === undefined ? undefined : Buffer.from(body, 'base64') };
}
