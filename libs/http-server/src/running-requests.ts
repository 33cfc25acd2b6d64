import type { FastifyInstance } from 'fastify';

/** The requests that were let in and are not answered. To be made after whatever refuses requests. */
export class RunningRequests {
  #count = 0;
  #onNone: () => void = () => undefined;

  constructor(app: FastifyInstance) {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#count++;
      reply.raw.once('close', () => {
        if (--this.#count === 0) this.#onNone();
      });
      done();
    });
  }

  /** Resolves when there is none, or after `limitMs`. */
  async ended(limitMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
