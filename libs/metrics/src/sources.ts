import type { SandboxStatus } from '@code-executor/contracts';

/** A circuit breaker lets calls through (`closed`), refuses them (`open`), or tries one (`half_open`). */
export type CircuitState = 'closed' | 'open' | 'half_open';

/** What a pool of upstream servers tells. */
export interface PoolState {
  /** Calls that run. */
  active: number;
  /** Calls that wait for a free place. */
  waiting: number;
  /** The servers of the configuration. Only these names become labels. */
  servers: readonly ServerState[];
}

export interface ServerState {
  name: string;
  /** Absent: the server has no breaker. */
  circuit?: CircuitState;
  /** Failures that its breaker has counted since it began. */
  circuitFailures?: number;
}

/** What an executor tells; `Executor.stats` fits. */
export interface ExecutorState {
  /** Executions that run. */
  running: number;
  /** Executions that wait for a free place. */
  waiting: number;
}

/** How often a cache had what it was asked for, and how often not, since it began. */
export interface CacheState {
  hits: number;
  misses: number;
}

/**
 * Where `render` reads the state that no event tells. Without a source its metrics do not exist; one that throws, or
 * takes longer than a second, has no values in that text.
 */
export interface MetricSources {
  pool?: () => PoolState;
  executor?: () => ExecutorState;
  sandboxes?: () => Promise<readonly SandboxStatus[]>;
  /** The cache of tool lists. */
  cache?: () => CacheState;
}
