import type { Registry } from 'prom-client';

import { FollowedCounter } from './followed-counter.js';
import type { NameLabel } from './labels.js';
import type { CircuitState, PoolState } from './sources.js';
import { StateGauge } from './state-gauge.js';

const circuitValues: Record<CircuitState, number> = { closed: 0, half_open: 0.5, open: 1 };

/** Creates the metrics of the pool; the returned function shows a state, or no values without one. */
export function poolMetrics(registry: Registry, servers: NameLabel): (state?: PoolState) => void {
  const active = new StateGauge(registry, 'pool_active_connections', 'Calls that run on upstream servers.');
  const waiting = new StateGauge(registry, 'pool_queue_depth', 'Calls that wait for a free place.');
  const circuit = new StateGauge(
    registry,
    'circuit_breaker_state',
    'Circuit breaker of an upstream server: 0 closed, 1 open, 0.5 half-open.',
    'server',
  );
  const failures = new FollowedCounter(
    registry,
    'circuit_breaker_failures_total',
    'Failures of an upstream server that its circuit breaker counted.',
    'server',
  );
  return (state) => {
    active.show(state?.active);
    waiting.show(state?.waiting);
    // Several servers may share the label `other`, which shows the worst circuit and the sum of failures.
    const circuits = new Map<string, number>();
    const counts = new Map<string, number>();
    for (const { name, circuit, circuitFailures } of state?.servers ?? []) {
      const label = servers.of(name);
      if (circuit) circuits.set(label, Math.max(circuits.get(label) ?? 0, circuitValues[circuit]));
      if (circuitFailures !== undefined) counts.set(label, (counts.get(label) ?? 0) + circuitFailures);
    }
    circuit.showEach(circuits);
    failures.follow(counts);
  };
}
