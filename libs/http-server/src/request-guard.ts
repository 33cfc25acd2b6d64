import type { IncomingMessage } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { rememberClient } from './client-check.js';
import { sendError } from './error-reply.js';
import type { HostRule } from './host-rule.js';
import type { RouteGroup } from './routes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent where no route matches. */
    group?: RouteGroup;
    answersWhileClosing?: boolean;
  }
}

const retryAfterCloseMs = 30_000;

type Access = Pick<RouteGroup, 'authentication' | 'origins'>;

export interface Guard {
  /** Absent: any Host, by any version of HTTP. */
  hosts?: HostRule;
  /** Whose token a request has; undefined if it has no valid one. Absent: no client needs a token. */
  findClient?: (request: IncomingMessage) => string | undefined;
  /** The rules for requests that no route matches. */
  unmatched: Access;
}

/** Lets a request through only if its own group of routes allows it; aborting `closing` stops nearly all of them. */
export function guard(
  app: FastifyInstance,
  { hosts, findClient, unmatched }: Guard,
  closing: AbortSignal,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const { group, answersWhileClosing } = request.routeOptions.config;
    const access: Access = group ?? unmatched;
    const refusal =
      (hosts && misaddressed(request.raw, hosts)) ?? fromWebPage(request, access.origins, hosts?.allowsTls);
    if (refusal) return sendError(reply.header('connection', 'close'), refusal.error, refusal.status);
    const client = findClient?.(request.raw);
    const isUnknown = findClient !== undefined && client === undefined;
    // Clients without a token must not take a connection from those who have one.
    if (isUnknown) void reply.header('connection', 'close');
    if (isUnknown && access.authentication === 'token') {
      void reply.header('www-authenticate', 'Bearer');
      const problem = 'The token is missing or wrong; send it as "Authorization: Bearer <token>".';
      return sendError(reply, new CodeExecutorError('unauthenticated', problem));
    }
    if (closing.aborted && answersWhileClosing !== true) {
      const retry = { retryAfterMs: retryAfterCloseMs };
      return sendError(reply, new CodeExecutorError('unavailable', 'The server is shutting down.', retry));
    }
    if (!isUnknown) rememberClient(request, client);
    return undefined;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing.aborted) void reply.header('connection', 'close');
  });
}

/** Why a request is refused before its token is read. */
interface Refusal {
  status: number;
  error: CodeExecutorError;
}

/** Refuses requests for another server, and those that a proxy in between may read differently. */
function misaddressed(request: IncomingMessage, hosts: HostRule): Refusal | undefined {
  const { headers, headersDistinct, httpVersion, socket, url = '' } = request;
  if (httpVersion !== '1.1') return refuse(400, 'This server speaks HTTP/1.1 only.');
  if (!url.startsWith('/')) return refuse(400, 'The target of a request is a path here, not a URL.');
  const [host = '', ...others] = headersDistinct['host'] ?? [];
  if (others.length > 0) return refuse(400, 'The request has several Host headers; send one.');
  const port = socket.localPort ?? 0;
  if (!hosts.accepts(host, port)) return refuse(421, hosts.explain(port));
  if (headers['content-encoding'] !== undefined) return refuse(415, 'Send the body not compressed.');
  return undefined;
}

/** Browsers name the origin of a page that calls, and say whether it is of the same site. Programs do neither. */
function fromWebPage(
  { headers }: FastifyRequest,
  origins: RouteGroup['origins'],
  allowsTls = false,
): Refusal | undefined {
  const { origin } = headers;
  const site = headers['sec-fetch-site'] ?? 'none';
  if (origins === 'none') {
    if (origin === undefined && site === 'none') return undefined;
    return refuse(403, 'Web pages may not call this server; call it from a program.');
  }
  if (origins === 'navigation') {
    // A script of a page says `cors` or `no-cors`, or names its origin.
    const isNavigation = site === 'none' || headers['sec-fetch-mode'] === 'navigate';
    if (origin === undefined && isNavigation) return undefined;
    return refuse(403, 'A web page may only lead here, and not call this server itself.');
  }
  // The Host has been checked. Behind a proxy that ends TLS it is the one that the browser sent, if the proxy keeps it.
  const host = headers.host?.toLowerCase() ?? '';
  const own = [`http://${host}`, ...(allowsTls ? [`https://${host}`] : [])];
  const isOwnOrigin = origin === undefined || own.includes(origin);
  if (isOwnOrigin && (site === 'none' || site === 'same-origin')) return undefined;
  return refuse(403, 'Only web pages that this server itself serves may call it.');
}

function refuse(status: number, message: string): Refusal {
  const code = status === 403 || status === 421 ? 'permission_denied' : 'invalid_argument';
  return { status, error: new CodeExecutorError(code, message) };
}
