import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * What operators expect of every Node server: `process_*` (CPU, memory, file descriptors) and `nodejs_*` (heap, garbage
 * collection, lag of the event loop). Begins with the first `render`, so that a server nobody scrapes measures nothing;
 * keeps no process alive.
 */
export class ProcessMetrics {
  #registry: Registry | undefined;

  async render(): Promise<string> {
    if (!this.#registry) {
      this.#registry = new Registry();
      collectDefaultMetrics({ register: this.#registry });
    }
    return withoutEmptyLag(await this.#registry.metrics());
  }
}

/** Of an interval without a sample, Node tells a mean that is no number and a least lag of centuries. */
function withoutEmptyLag(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('nodejs_eventloop_lag') || Number(line.split(' ').at(-1)) < 1e9)
    .join('\n');
}
