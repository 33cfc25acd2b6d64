import { CodeExecutorError } from '@code-executor/contracts';
import type { FastifyInstance } from 'fastify';

import { clientOf } from './client-check.js';

/** A stream may end at any moment; a client that waits for one of its own need not wait long. */
const retryAfterMs = 1000;

/** Answers requests of a client that has this many under way in the scope with 429, so that it takes no place of others. */
export function limitOpenRequests(scope: FastifyInstance, maxOpen: number): void {
  const open = new Map<string, number>();
  scope.addHook('onRequest', async (request, reply) => {
    const client = clientOf(request) ?? request.ip;
    const count = open.get(client) ?? 0;
    if (count >= maxOpen) {
      const problem = `More than ${maxOpen} requests are open at once; close streams that you do not read.`;
      throw new CodeExecutorError('resource_exhausted', problem, { retryAfterMs });
    }
    open.set(client, count + 1);
    reply.raw.once('close', () => {
      const rest = (open.get(client) ?? 0) - 1;
      if (rest > 0) open.set(client, rest);
      else open.delete(client);
    });
  });
}
