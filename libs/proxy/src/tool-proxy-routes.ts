import { formatTraceparent } from '@code-executor/contracts';
import type { HttpAnswer, HttpRequest, RouteGroup } from '@code-executor/http-server';

import { answerCall } from './answer-call.js';
import { parseCall } from './parse-call.js';
import { parseListing } from './parse-listing.js';
import type { ToolProxy } from './tool-proxy.js';

export interface ToolProxyRoutesOptions {
  /**
   * Called for each request, because a policy's budget is for one execution, and a request is one. Gets the name of
   * the client, if the server knows several, and the id of the request's trace.
   */
  createProxy: (clientId: string | undefined, correlationId: string) => ToolProxy;
  /** For calls and for listings each; `false` is no limit. Default: 30 requests in 60 s. */
  rateLimit?: RouteGroup['rateLimit'] | false;
}

/** `POST /` calls a tool, `GET /mcp/tools` lists tools; for programs that have a token. */
export function toolProxyRoutes({ createProxy, rateLimit = {} }: ToolProxyRoutesOptions): RouteGroup {
  const proxyFor = ({ clientId, trace }: HttpRequest) => createProxy(clientId, trace.traceId);
  return {
    authentication: 'token',
    origins: 'none',
    body: { type: 'json' },
    ...(rateLimit !== false && { rateLimit }),
    routes: [
      { method: 'POST', path: '/', handle: (request) => call(request, proxyFor) },
      { method: 'GET', path: '/mcp/tools', handle: (request) => list(request, proxyFor) },
    ],
  };
}

type ProxyFor = (request: HttpRequest) => ToolProxy;

async function call(request: HttpRequest, proxyFor: ProxyFor): Promise<HttpAnswer> {
  const requested = parseCall(request.body);
  // From here on, the proxy has every refusal on record.
  request.recordedByHandler();
  const { signal, trace } = request;
  const options = { signal, traceparent: formatTraceparent(trace) };
  const { status, json } = await answerCall(proxyFor(request), requested, options);
  return { status, headers: { 'content-type': 'application/json' }, body: json };
}

async function list(request: HttpRequest, proxyFor: ProxyFor): Promise<HttpAnswer> {
  const { query, server, offset, limit } = parseListing(request.url);
  request.recordedByHandler();
  const { tools, failedServers } = await proxyFor(request).listTools({
    signal: request.signal,
    ...(query !== undefined && { query }),
    ...(server !== undefined && { server }),
  });
  const unavailable = failedServers.map((failed) => encodeURIComponent(failed.server)).join(', ');
  // Servers that are still starting have more tools soon.
  const isStarting = failedServers.some((failed) => failed.isStarting);
  return {
    headers: {
      'x-total-count': tools.length,
      ...(unavailable !== '' && { 'x-unavailable-servers': unavailable }),
      ...(isStarting && { 'retry-after': 1 }),
    },
    body: tools.slice(offset, limit === undefined ? undefined : offset + limit),
  };
}
