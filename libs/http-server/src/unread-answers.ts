import type { FastifyInstance } from 'fastify';

/** A client on the same machine reads at once. */
const maxTakingMs = 10_000;

/**
 * Cuts the connection of a caller who does not take a whole answer within 10 s: what nobody takes stays in
 * memory. Answers that a route writes itself, after `reply.hijack()`, are its own.
 */
export function dropUnreadAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    const late = setTimeout(() => reply.raw.destroy(), maxTakingMs);
    reply.raw.once('close', () => clearTimeout(late));
  });
}
