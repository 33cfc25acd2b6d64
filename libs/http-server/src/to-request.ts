import { newTraceParent, parseTraceparent } from '@code-executor/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { clientOf, isTrusted } from './client-check.js';
import { letRequestIn } from './refusals.js';
import type { HttpRequest } from './routes.js';

/** What a handler sees of a request. */
export function toHttpRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal,
): HttpRequest {
  const { method, url, headers, body } = request;
  return {
    method,
    url,
    headers,
    body,
    clientId: clientOf(request),
    isTrusted: isTrusted(request),
    trace: parseTraceparent(headers['traceparent']) ?? newTraceParent(),
    signal: untilGone(reply),
    ended: new Promise((resolve) => void reply.raw.once('close', resolve)),
    closing,
    recordedByHandler: () => letRequestIn(request),
  };
}

function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
