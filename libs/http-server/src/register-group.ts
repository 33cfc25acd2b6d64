import type { FastifyInstance } from 'fastify';

import { maxBytesOf } from './json-body.js';
import { countedAlone, limitRates } from './limit-rates.js';
import type { HttpAnswer, RouteGroup } from './routes.js';
import { toHttpRequest } from './to-request.js';

/** Makes Fastify routes of a group, in a scope of their own. */
export async function registerGroup(app: FastifyInstance, group: RouteGroup): Promise<void> {
  const { body, headers, rateLimit, routes } = group;
  await app.register(async (scope) => {
    if (body === 'none') scope.removeAllContentTypeParsers();
    if (headers) scope.addHook('onSend', async (_request, reply) => void reply.headers(headers));
    if (rateLimit) await limitRates(scope, rateLimit);
    for (const route of routes) {
      const { method, path: url, answersWhileClosing = false } = route;
      scope.route({
        method,
        url,
        bodyLimit: maxBytesOf(group),
        config: { group, answersWhileClosing, ...(rateLimit && countedAlone) },
        async handler(request, reply) {
          const answer = await route.handle(toHttpRequest(request, reply));
          return reply
            .code(answer.status ?? 200)
            .headers({ ...contentTypeOf(answer), ...answer.headers })
            .send(encode(answer));
        },
      });
    }
  });
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
