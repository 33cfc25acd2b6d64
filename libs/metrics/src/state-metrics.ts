import { CodeExecutorError, type Logger, type SandboxStatus, untilAborted } from '@code-executor/contracts';
import type { Registry } from 'prom-client';

import { FollowedCounter } from './followed-counter.js';
import type { NameLabel, NameLabels } from './labels.js';
import { poolMetrics } from './pool-metrics.js';
import type { CacheState, ExecutorState, MetricSources } from './sources.js';
import { StateGauge } from './state-gauge.js';

/** How long a scrape waits for a source. */
const sourceTimeoutMs = 1_000;

/** Creates the metrics of the sources that exist; the returned function reads them again and never rejects. */
export function stateMetrics(
  registry: Registry,
  sources: MetricSources,
  { servers, languages }: NameLabels,
  logger: Logger,
): () => Promise<unknown> {
  const { pool, executor, sandboxes, cache } = sources;
  /** `show` without a state removes the values. */
  const follow = <T>(source: string, read: () => T | Promise<T>, show: (state?: T) => void) => {
    return async () => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(tooLate(source)), sourceTimeoutMs);
      try {
        show(await untilAborted(Promise.resolve(read()), late.signal));
      } catch (err) {
        show();
        logger.warn({ source, err }, 'A source of metrics failed; its metrics have no values now.');
      } finally {
        clearTimeout(timer);
      }
    };
  };
  const followers = [
    ...(pool ? [follow('pool', pool, poolMetrics(registry, servers))] : []),
    ...(executor ? [follow('executor', executor, executorMetrics(registry))] : []),
    ...(sandboxes ? [follow('sandboxes', sandboxes, spareMetrics(registry, languages))] : []),
    ...(cache ? [follow('cache', cache, cacheMetrics(registry))] : []),
  ];
  return () => Promise.all(followers.map((refresh) => refresh()));
}

function tooLate(source: string): CodeExecutorError {
  const message = `The ${source} did not tell their state within ${sourceTimeoutMs} ms; see what holds them up.`;
  return new CodeExecutorError('deadline_exceeded', message);
}

function executorMetrics(registry: Registry): (state?: ExecutorState) => void {
  const running = new StateGauge(registry, 'executions_running', 'Executions that run.');
  const waiting = new StateGauge(registry, 'executions_waiting', 'Executions that wait for a free place.');
  return (state) => {
    running.show(state?.running);
    waiting.show(state?.waiting);
  };
}

function spareMetrics(registry: Registry, languages: NameLabel): (state?: readonly SandboxStatus[]) => void {
  const help = 'Unused processes that wait for a program.';
  const spares = new StateGauge(registry, 'sandbox_spares', help, 'language');
  return (state = []) => {
    spares.showEach(state.map((sandbox) => [languages.of(sandbox.language), sandbox.spares?.ready]));
  };
}

function cacheMetrics(registry: Registry): (state?: CacheState) => void {
  const counter = (name: string, help: string) => new FollowedCounter(registry, name, help, 'cache_type');
  const hits = counter('cache_hits_total', 'Lookups that a cache answered.');
  const misses = counter('cache_misses_total', 'Lookups that a cache could not answer.');
  return (state) => {
    if (!state) return;
    hits.follow([['schema', state.hits]]);
    misses.follow([['schema', state.misses]]);
  };
}
