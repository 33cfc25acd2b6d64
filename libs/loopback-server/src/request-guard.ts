import type { IncomingMessage } from 'node:http';

import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import { rememberClient } from './client-check.js';
import { sendError } from './error-reply.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no token. */
    isOpen?: boolean;
    /** The route answers while the server shuts down, too. */
    isLasting?: boolean;
  }
}

const retryAfterCloseMs = 30_000;

export interface Guard {
  /** What a `Host` may be, without the port. */
  names: readonly string[];
  /** Who sends the request; undefined: nobody that is known. Absent: everybody may ask. */
  findClient?: (request: IncomingMessage) => string | undefined;
  /** Aborted: nothing more is let through. */
  closing: AbortSignal;
}

/** Lets through only what a program on this machine sends, and knows the token for. */
export function guard(app: FastifyInstance, { names, findClient, closing }: Guard): void {
  app.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOf(request.raw, names);
    if (refusal) return sendError(reply.header('connection', 'close'), refusal.error, refusal.status);
    const client = findClient?.(request.raw);
    const isUnknown = findClient !== undefined && client === undefined;
    // Whoever has no token takes no place from those who have one.
    if (isUnknown) void reply.header('connection', 'close');
    if (isUnknown && request.routeOptions.config.isOpen !== true) {
      void reply.header('www-authenticate', 'Bearer');
      const problem = 'The token is missing or wrong; send it as "Authorization: Bearer <token>".';
      return sendError(reply, new CodeExecutorError('unauthenticated', problem));
    }
    if (closing.aborted && request.routeOptions.config.isLasting !== true) {
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

/** Why a request is refused before anybody looks at its token. */
interface Refusal {
  status: number;
  error: CodeExecutorError;
}

/**
 * Refuses what no program on this machine sends, but a web page does that has its own name resolved to this
 * address (DNS rebinding), or somebody who hopes that two readers of a request differ.
 */
function refusalOf(request: IncomingMessage, names: readonly string[]): Refusal | undefined {
  const { headers, headersDistinct, httpVersion, socket, url = '' } = request;
  if (httpVersion !== '1.1') return refuse(400, 'This server speaks HTTP/1.1 only.');
  if (!url.startsWith('/')) return refuse(400, 'The target of a request is a path here, not a URL.');
  const [host = '', ...others] = headersDistinct['host'] ?? [];
  if (others.length > 0) return refuse(400, 'The request has several Host headers; send one.');
  const port = socket.localPort ?? 0;
  const forms = names.map((name) => `${name}:${port}`);
  // Clients leave the default port out.
  if (port === 80) forms.push(...names);
  if (!forms.includes(host.toLowerCase())) {
    return refuse(421, `This server answers to the Host ${forms.join(' or ')} only.`);
  }
  if (headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none') {
    return refuse(403, 'Web pages may not call this server; call it from a program.');
  }
  if (headers['content-encoding'] !== undefined) return refuse(415, 'Send the body not compressed.');
  return undefined;
}

function refuse(status: number, message: string): Refusal {
  const code = status === 403 || status === 421 ? 'permission_denied' : 'invalid_argument';
  return { status, error: new CodeExecutorError(code, message) };
}
