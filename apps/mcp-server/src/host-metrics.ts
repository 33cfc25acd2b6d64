import type { Logger } from '@code-executor/contracts';
import type { Host } from '@code-executor/host';
import { createMetrics, type Metrics } from '@code-executor/metrics';

const unused = { active: 0, waiting: 0, running: 0, hits: 0, misses: 0, servers: [] };

/** The metrics of a host, all of them zero as long as nothing has needed it. */
export function createHostMetrics(host: () => Host | undefined, logger: Logger): Metrics {
  return createMetrics(
    {
      pool: () => host()?.poolStats ?? unused,
      executor: () => host()?.executor.stats ?? unused,
      cache: () => host()?.cache.stats ?? unused,
      sandboxes: async () => (await host()?.executor.status()) ?? [],
    },
    { logger },
  );
}
