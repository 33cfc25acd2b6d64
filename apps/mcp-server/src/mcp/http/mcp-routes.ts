import type { Config } from '@code-executor/config';
import type { NamedRateLimit, RouteGroup, StreamRoute } from '@code-executor/http-server';

import { rateLimitOf } from '../../http-clients.js';
import { jsonRpcErrorBody } from './json-rpc-errors.js';
import { type McpEndpoint, methodOf } from './mcp-endpoint.js';

/** As much as the SDK takes, and more than the longest program. */
const minBodyBytes = 4 * 1024 * 1024;
/** The most bytes that JSON takes for a character. */
const maxBytesPerChar = 6;
/** Requests and streams that one client may have open, of the 1,024 connections of all. */
const maxOpenPerClient = 256;
/** Messages that call no tool cost little, and clients send several around each call. */
const messagesPerCall = 40;

/** `/mcp`, for MCP clients and for pages that this server itself serves. */
export function mcpRoutes(endpoint: McpEndpoint, config: () => Config): RouteGroup {
  const stream: StreamRoute['stream'] = (request) => endpoint.answer(request);
  const maxCodeBytes = (config().security?.maxCodeSize ?? 0) * maxBytesPerChar;
  return {
    authentication: 'token',
    origins: 'same-origin',
    body: { type: 'json', maxBytes: Math.max(minBodyBytes, maxCodeBytes) },
    limitByBody: (clientId, body) => limitOf(config(), clientId, body),
    maxOpenPerClient,
    errorBody: jsonRpcErrorBody,
    headers: { 'x-content-type-options': 'nosniff' },
    routes: [
      { method: 'POST', path: '/mcp', stream },
      { method: 'GET', path: '/mcp', stream },
      { method: 'DELETE', path: '/mcp', stream },
    ],
  };
}

/** The rate of a client counts its calls of tools. Everything else has a count of its own, and a wider limit. */
function limitOf(config: Config, clientId: string | undefined, body: unknown): NamedRateLimit | false {
  const limit = rateLimitOf(config, clientId);
  if (!limit) return false;
  if (methodOf(body) === 'tools/call') return { ...limit, name: 'calls' };
  const { maxRequests = 30 } = limit;
  return { ...limit, name: 'messages', maxRequests: maxRequests * messagesPerCall };
}
