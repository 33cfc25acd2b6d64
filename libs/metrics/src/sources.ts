import type { SandboxStatus } from '@code-executor/contracts';

/** A circuit breaker lets calls through (`closed`), refuses them (`open`), or tries one (`half_open`). */
export type CircuitState = 'closed' | 'open' | 'half_open';

/** The state of a pool of upstream servers. */
export interface PoolState {
  /** Running calls. */
  active: number;
  /** Calls that wait for a free place. */
  waiting: number;
  /** The servers of the configuration. Only these names become labels. */
  servers: readonly ServerState[];
}

export interface ServerState {
  name: string;
  /** Absent if the server has no breaker. */
  circuit?: CircuitState;
  /** Failures that its breaker has counted since its start. */
  circuitFailures?: number;
}

/** The state of an executor; `Executor.stats` fits. */
export interface ExecutorState {
  /** Running executions. */
  running: number;
  /** Executions that wait for a free place. */
  waiting: number;
}

/** How many lookups a cache could answer and how many not, since its start. */
export interface CacheState {
  hits: number;
  misses: number;
}

/**
 * Where `render` reads the state that events do not report. The metrics of a missing source do not exist; those of a source
 * that throws, or takes longer than a second, have no values in that text.
 */
export interface MetricSources {
  pool?: () => PoolState;
  executor?: () => ExecutorState;
  sandboxes?: () => Promise<readonly SandboxStatus[]>;
  /** The cache of tool lists. */
  cache?: () => CacheState;
}
