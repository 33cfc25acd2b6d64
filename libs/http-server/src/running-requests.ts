import type { FastifyInstance } from 'fastify';

/** Counts the requests that have passed all hooks added before, and are not answered yet. */
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

  /** Resolves when none is left, or after `limitMs`. */
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
