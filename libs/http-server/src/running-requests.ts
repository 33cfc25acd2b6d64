import type { ServerResponse } from 'node:http';

import type { FastifyInstance } from 'fastify';

import { clientOf } from './client-check.js';

/** The requests that have passed all hooks added before, and are not answered yet. */
export class RunningRequests {
  /** Each with the client that sent it, if it has a name. */
  readonly #running = new Map<ServerResponse, string | undefined>();
  #onNone: () => void = () => undefined;

  constructor(app: FastifyInstance) {
    app.addHook('onRequest', (request, reply, done) => {
      this.#running.set(reply.raw, clientOf(request));
      reply.raw.once('close', () => {
        this.#running.delete(reply.raw);
        if (this.#running.size === 0) this.#onNone();
      });
      done();
    });
  }

  /** Cuts the connections of a client that has requests under way. */
  hangUp(clientId: string): void {
    for (const [response, client] of this.#running) if (client === clientId) response.destroy();
  }

  /** Resolves when none is left, or after `limitMs`. */
  async ended(limitMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
