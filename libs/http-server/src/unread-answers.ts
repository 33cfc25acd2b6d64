import type { FastifyInstance } from 'fastify';

/** A client normally reads at once. */
export const maxTakingMs = 10_000;

/**
 * Cuts the connection of a client that does not read a whole answer within 10 s, because an answer stays in memory until
 * it is read.
 */
export function dropUnreadAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    const late = setTimeout(() => reply.raw.destroy(), maxTakingMs);
    reply.raw.once('close', () => clearTimeout(late));
  });
}
