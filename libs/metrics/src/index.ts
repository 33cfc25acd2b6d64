export { createMetrics, type Metrics, type MetricsOptions } from './metrics.js';
export type {
  CacheState,
  CircuitState,
  ExecutorState,
  MetricSources,
  PoolState,
  ServerState,
} from './sources.js';
