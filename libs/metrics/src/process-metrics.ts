import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * The usual metrics of a Node server: `process_*` (CPU, memory, file descriptors) and `nodejs_*` (heap, garbage collection,
 * lag of the event loop). Measuring starts with the first `render`, so that a server that nothing scrapes measures nothing.
 * It keeps no process alive.
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

/** Leaves out the lag of an interval without samples, for which Node returns NaN as mean and centuries as minimum. */
function withoutEmptyLag(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('nodejs_eventloop_lag') || Number(line.split(' ').at(-1)) < 1e9)
    .join('\n');
}
