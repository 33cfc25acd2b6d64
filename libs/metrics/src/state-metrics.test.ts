import { recordingLogger } from '@code-executor/contracts/testing';
import { expect, test } from '@jest/globals';

import { createMetrics, type MetricSources, type PoolState } from './index.js';
import { samplesOf } from './samples-of.test.kit.js';

const cacheHits = 'cache_hits_total{cache_type="schema"}';
const cacheMisses = 'cache_misses_total{cache_type="schema"}';

/** All samples of these sources that the events and requests do not make. */
async function stateOf(sources: MetricSources) {
  const [plain, samples] = await Promise.all(
    [createMetrics({}), createMetrics(sources)].map(async (metrics) => samplesOf(await metrics.render())),
  );
  return Object.fromEntries(Object.entries(samples ?? {}).filter(([name]) => !(name in (plain ?? {}))));
}

test('shows the state of the sources', async () => {
  const state = await stateOf({
    pool: () => ({
      active: 3,
      waiting: 150,
      max: 100,
      servers: [
        { name: 'github', circuit: 'closed', circuitFailures: 2 },
        { name: 'memory', circuit: 'open', circuitFailures: 5 },
        { name: 'files', circuit: 'half_open', circuitFailures: 7 },
        { name: 'plain' },
      ],
    }),
    executor: () => ({ running: 1, waiting: 4, max: 8 }),
    sandboxes: () =>
      Promise.resolve([
        { language: 'typescript', isolation: 'strict', spares: { ready: 2, memoryMb: 90 } },
        { language: 'python', note: 'There is no Deno.' },
      ]),
    cache: () => ({ hits: 9, misses: 1 }),
  });

  expect(state).toEqual({
    pool_active_connections: 3,
    pool_queue_depth: 150,
    'circuit_breaker_state{server="github"}': 0,
    'circuit_breaker_state{server="memory"}': 1,
    'circuit_breaker_state{server="files"}': 0.5,
    'circuit_breaker_failures_total{server="github"}': 2,
    'circuit_breaker_failures_total{server="memory"}': 5,
    'circuit_breaker_failures_total{server="files"}': 7,
    executions_running: 1,
    executions_waiting: 4,
    'sandbox_spares{language="typescript"}': 2,
    [cacheHits]: 9,
    [cacheMisses]: 1,
  });
});

test('has no metrics of a missing source', async () => {
  expect(await stateOf({})).toEqual({});
});

test('counters never fall even if what they follow starts again; gauges forget what is gone', async () => {
  let servers: PoolState['servers'] = [{ name: 'github', circuit: 'open', circuitFailures: 5 }];
  let cache = { hits: 10, misses: 3 };
  const metrics = createMetrics({ pool: () => ({ active: 0, waiting: 0, servers }), cache: () => cache });
  await metrics.render();

  servers = [{ name: 'github', circuit: 'closed', circuitFailures: 2 }];
  cache = { hits: 12, misses: 0 };
  expect(samplesOf(await metrics.render())).toMatchObject({
    'circuit_breaker_state{server="github"}': 0,
    'circuit_breaker_failures_total{server="github"}': 7,
    [cacheHits]: 12,
    [cacheMisses]: 3,
  });

  servers = [];
  const samples = samplesOf(await metrics.render());
  expect(samples).toMatchObject({ 'circuit_breaker_failures_total{server="github"}': 7, [cacheHits]: 12 });
  expect(samples).not.toHaveProperty('circuit_breaker_state{server="github"}');
});

test('servers beyond the 200th share a label with the worst circuit and the sum of the failures', async () => {
  const servers = Array.from({ length: 203 }, (_, index) => ({
    name: `server-${index}`,
    circuit: index === 201 ? ('open' as const) : ('closed' as const),
    circuitFailures: index,
  }));
  const state = await stateOf({ pool: () => ({ active: 0, waiting: 0, servers }) });

  expect(Object.keys(state).filter((name) => name.startsWith('circuit_breaker_state'))).toHaveLength(201);
  expect(state).toMatchObject({
    'circuit_breaker_state{server="server-199"}': 0,
    'circuit_breaker_state{server="other"}': 1,
    'circuit_breaker_failures_total{server="other"}': 200 + 201 + 202,
  });
});

test('a source that throws, rejects or hangs has no values, and the log says which', async () => {
  let isBroken = false;
  const whenWhole = <T>(state: T): T => {
    if (isBroken) throw new Error('broken');
    return state;
  };
  const logger = recordingLogger();
  const metrics = createMetrics(
    {
      pool: () => whenWhole({ active: 1, waiting: 1, servers: [{ name: 'github', circuit: 'open' }] }),
      executor: () => whenWhole({ running: 1, waiting: 1 }),
      sandboxes: () => (isBroken ? new Promise(() => undefined) : Promise.resolve([])),
      cache: () => whenWhole({ hits: 1, misses: 1 }),
    },
    { logger },
  );
  await metrics.render();
  expect(logger.entries).toEqual([]);

  isBroken = true;
  void metrics.record({
    type: 'tool_call',
    timestamp: '',
    status: 'success',
    toolName: 'mcp__memory__read',
    server: 'memory',
    durationMs: 1,
  });
  const samples = samplesOf(await metrics.render());

  expect(
    Object.keys(samples).filter((name) => /^(?:pool_(?:active|queue_d)|circuit|executions_)/.test(name)),
  ).toEqual([]);
  expect(samples).toMatchObject({ 'tool_calls_total{server="other",status="success"}': 1, [cacheHits]: 1 });
  expect(logger.entries.map(({ fields }) => fields)).toMatchObject([
    { source: 'pool', err: { message: 'broken' } },
    { source: 'executor', err: { message: 'broken' } },
    { source: 'cache', err: { message: 'broken' } },
    { source: 'sandboxes', err: { code: 'deadline_exceeded' } },
  ]);

  isBroken = false;
  expect(samplesOf(await metrics.render())).toMatchObject({ executions_running: 1, pool_queue_depth: 1 });
});

test('values that are NaN, infinite or negative are left out', async () => {
  const state = await stateOf({
    pool: () => ({ active: Number.NaN, waiting: 2, servers: [{ name: 'github', circuitFailures: -1 }] }),
    cache: () => ({ hits: Number.NaN, misses: Infinity }),
  });

  expect(state).toEqual({ pool_queue_depth: 2 });
});
