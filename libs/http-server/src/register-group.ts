import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { maxBytesOf } from './json-body.js';
import { limitByBody } from './limit-by-body.js';
import { limitOpenRequests } from './limit-open-requests.js';
import { countedAlone, limitRates } from './limit-rates.js';
import type { HttpAnswer, Route, RouteGroup, StreamRoute } from './routes.js';
import { sendResponse } from './stream-answer.js';
import { toHttpRequest } from './to-request.js';

/** Makes Fastify routes of a group, in a scope of their own. */
export async function registerGroup(
  app: FastifyInstance,
  group: RouteGroup,
  closing: AbortSignal,
): Promise<void> {
  const { body, headers = {}, rateLimit, maxOpenPerClient, routes } = group;
  await app.register(async (scope) => {
    if (body === 'none') scope.removeAllContentTypeParsers();
    scope.addHook('onSend', async (_request, reply) => void reply.headers(headers));
    if (maxOpenPerClient !== undefined) limitOpenRequests(scope, maxOpenPerClient);
    if (rateLimit) await limitRates(scope, rateLimit);
    if (group.limitByBody) limitByBody(scope, group.limitByBody);
    for (const route of routes) {
      const { method, path: url, answersWhileClosing = false } = route;
      scope.route({
        method,
        url,
        bodyLimit: maxBytesOf(group),
        config: { group, answersWhileClosing, ...(rateLimit && countedAlone) },
        handler: (request, reply) => answer(route, request, reply, { headers, closing }),
      });
    }
  });
}

/** Lets the route answer, in its way. */
async function answer(
  route: Route | StreamRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  { headers, closing }: { headers: Readonly<Record<string, string>>; closing: AbortSignal },
): Promise<FastifyReply | undefined> {
  const asked = toHttpRequest(request, reply, closing);
  if ('stream' in route) return sendResponse(reply, await route.stream(asked), headers);
  const whole = await route.handle(asked);
  return reply
    .code(whole.status ?? 200)
    .headers({ ...contentTypeOf(whole), ...whole.headers })
    .send(encode(whole));
}

function contentTypeOf({ body }: HttpAnswer): Record<string, string> {
  return isEncoded(body) ? {} : { 'content-type': 'application/json; charset=utf-8' };
}

function encode({ body }: HttpAnswer): unknown {
  return isEncoded(body) ? body : JSON.stringify(body);
}

function isEncoded(body: unknown): boolean {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}
