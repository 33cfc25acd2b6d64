import { describe, expect, test } from '@jest/globals';
import type { AuditEvent, AuditRecord } from '@code-executor/contracts';
import parsePrometheusTextFormat from 'parse-prometheus-text-format';

import { createMetrics } from './index.js';
import { samplesOf } from './samples-of.test.kit.js';

/** The samples of one metric as a foreign parser reads them: labels and number. */
function parsedSamples(text: string, name: string): [Record<string, string>, number][] {
  const metric = parsePrometheusTextFormat(text).find((candidate) => candidate.name === name);
  return (metric?.metrics ?? []).map(({ labels, value }) => [labels ?? {}, Number(value)]);
}

const pool = () => ({
  active: 3,
  waiting: 2,
  servers: [{ name: 'github' }, { name: 'memory' }],
});
/** An event with the fields that matter to a test. */
const event = (fields: Partial<AuditRecord>) =>
  ({
    type: 'tool_call',
    timestamp: '2026-11-21T20:00:00.000Z',
    status: 'success',
    ...fields,
  }) as AuditEvent;

describe('metrics of executions', () => {
  test('count them by language, status and isolation, with their durations and bytes', async () => {
    const metrics = createMetrics({});
    const execution = { type: 'execution', language: 'typescript', isolation: 'strict' } as const;
    void metrics.record(
      event({ ...execution, durationMs: 40, startupMs: 2, resultBytes: 1_003, returnedBytes: 100 }),
    );
    void metrics.record(
      event({
        ...execution,
        status: 'failure',
        durationMs: 2_000,
        startupMs: 30,
        resultBytes: 10,
        returnedBytes: 50,
      }),
    );
    void metrics.record(
      event({ type: 'execution', language: 'python', status: 'rejected', durationMs: 30_000 }),
    );

    const samples = samplesOf(await metrics.render());

    expect(samples).toMatchObject({
      'executions_total{language="typescript",status="success",isolation="strict"}': 1,
      'executions_total{language="typescript",status="failure",isolation="strict"}': 1,
      'executions_total{language="python",status="rejected",isolation="other"}': 1,
      'execution_duration_seconds_bucket{le="0.01",language="typescript"}': 0,
      'execution_duration_seconds_bucket{le="0.05",language="typescript"}': 1,
      'execution_duration_seconds_bucket{le="2.5",language="typescript"}': 2,
      'execution_duration_seconds_sum{language="typescript"}': 2.04,
      'execution_duration_seconds_count{language="typescript"}': 2,
      'sandbox_startup_seconds_bucket{le="0.001",language="typescript"}': 0,
      'sandbox_startup_seconds_bucket{le="0.0025",language="typescript"}': 1,
      'sandbox_startup_seconds_count{language="typescript"}': 2,
      returned_bytes_total: 150,
      tokens_saved_estimate_total: 225,
    });
    expect(samples).not.toHaveProperty('execution_duration_seconds_count{language="python"}');
  });
});

describe('metrics of tool calls', () => {
  test('count them by server and status, with their durations, bytes and waits', async () => {
    const metrics = createMetrics({ pool });
    void metrics.record(event({ server: 'github', durationMs: 200, queuedMs: 700, resultBytes: 64 }));
    void metrics.record(event({ server: 'github', durationMs: 400, queuedMs: 0, resultBytes: 36 }));
    void metrics.record(
      event({ server: 'memory', status: 'failure', errorCode: 'unavailable', queuedMs: 30_000 }),
    );
    void metrics.record(event({ server: 'memory', status: 'rejected', durationMs: 5 }));

    const samples = samplesOf(await metrics.render());

    expect(samples).toMatchObject({
      'tool_calls_total{server="github",status="success"}': 2,
      'tool_calls_total{server="memory",status="failure"}': 1,
      'tool_calls_total{server="memory",status="rejected"}': 1,
      'tool_call_duration_seconds_bucket{le="0.25",server="github"}': 1,
      'tool_call_duration_seconds_sum{server="github"}': 0.6000000000000001,
      'tool_call_duration_seconds_count{server="github"}': 2,
      'tool_result_bytes_total{server="github"}': 100,
      'pool_queue_wait_seconds_bucket{le="0.1"}': 1,
      'pool_queue_wait_seconds_bucket{le="1"}': 2,
      'pool_queue_wait_seconds_bucket{le="15"}': 2,
      'pool_queue_wait_seconds_bucket{le="30"}': 3,
      pool_queue_wait_seconds_count: 3,
    });
    expect(samples).not.toHaveProperty('tool_call_duration_seconds_count{server="memory"}');
  });

  test('count a call that waited in vain once, with its wait', async () => {
    const metrics = createMetrics({ pool });
    void metrics.record(event({ type: 'queue', server: 'github', status: 'rejected', queuedMs: 30_000 }));
    void metrics.record(event({ server: 'github', status: 'failure', errorCode: 'unavailable' }));

    const samples = samplesOf(await metrics.render());

    expect(samples).toMatchObject({
      'pool_queue_wait_seconds_bucket{le="15"}': 0,
      'pool_queue_wait_seconds_bucket{le="30"}': 1,
      pool_queue_wait_seconds_count: 1,
      'tool_calls_total{server="github",status="failure"}': 1,
    });
  });

  test('count the calls of all unknown servers together', async () => {
    const metrics = createMetrics({ pool });
    for (const server of ['gibhut', '__proto__', 'constructor', 'a"} 1\nevil_total 1 #']) {
      void metrics.record(event({ server, status: 'rejected' }));
    }
    void metrics.record(event({ status: 'rejected' }));

    const calls = parsedSamples(await metrics.render(), 'tool_calls_total');

    expect(calls).toEqual([[{ server: 'other', status: 'rejected' }, 5]]);
  });

  test('escape the names of servers so that a parser reads them', async () => {
    const names = ['a"} 1\nevil_total 1 #', 'back\\slash', '__proto__', 'a,status:failure'];
    const metrics = createMetrics({
      pool: () => ({ active: 0, waiting: 0, servers: names.map((name) => ({ name })) }),
    });
    for (const server of names) void metrics.record(event({ server }));

    const text = await metrics.render();

    expect(parsedSamples(text, 'tool_calls_total').map(([labels]) => Object.values(labels)[0])).toEqual(
      names,
    );
    expect(parsedSamples(text, 'evil_total')).toEqual([]);
  });
});

test('denials, wrong tokens and rate limits are counted, and events that report a state are not', async () => {
  const metrics = createMetrics({});
  const types = [
    'denial',
    'denial',
    'auth_failure',
    'rate_limited',
    'circuit',
    'queue',
    'config',
    'lifecycle',
  ] as const;
  for (const type of types) void metrics.record(event({ type, status: 'rejected' }));

  expect(samplesOf(await metrics.render())).toMatchObject({
    denials_total: 2,
    auth_failures_total: 1,
    rate_limited_total: 1,
  });
});

test('refused calls that have no event of their own are counted, too', async () => {
  const metrics = createMetrics({});
  const omitted = { status: 'rejected', action: 'omitted', count: 1_900 } as const;
  void metrics.record(event({ ...omitted, type: 'denial', errorCode: 'permission_denied' }));
  void metrics.record(event({ ...omitted, type: 'tool_call', errorCode: 'not_found' }));

  expect(samplesOf(await metrics.render())).toMatchObject({
    denials_total: 1_900,
    'tool_calls_total{server="other",status="rejected"}': 1_900,
  });
});

describe('record', () => {
  test('accepts fields with wrong values', async () => {
    const metrics = createMetrics({ pool });
    const broken: unknown[] = [Number.NaN, -1, Infinity, '5', null, {}, 5n, Symbol('five')];
    for (const value of broken) {
      const fields = {
        language: value,
        status: value,
        isolation: value,
        server: value,
        durationMs: value,
        startupMs: value,
        queuedMs: value,
        resultBytes: value,
        returnedBytes: value,
      } as Partial<AuditRecord>;
      void metrics.record(event({ type: 'execution', ...fields }));
      void metrics.record(event({ type: 'tool_call', ...fields }));
    }

    expect(samplesOf(await metrics.render())).toMatchObject({
      'executions_total{language="other",status="other",isolation="other"}': 8,
      'tool_calls_total{server="other",status="other"}': 8,
      returned_bytes_total: 0,
      pool_queue_wait_seconds_count: 0,
    });
  });

  test('labels at most 200 servers', async () => {
    const servers = Array.from({ length: 300 }, (_, index) => ({ name: `server-${index}` }));
    const metrics = createMetrics({ pool: () => ({ active: 0, waiting: 0, servers }) });
    for (let index = 0; index < 10_000; index++) {
      void metrics.record(event({ server: `server-${index}`, durationMs: 1 }));
    }

    const calls = parsedSamples(await metrics.render(), 'tool_calls_total');

    expect(calls).toHaveLength(201);
    expect(calls).toContainEqual([{ server: 'server-199', status: 'success' }, 1]);
    expect(calls).toContainEqual([{ server: 'other', status: 'success' }, 9_800]);
  });
});

describe('request', () => {
  test('counts requests by method and status, and measures them by method and route', async () => {
    const metrics = createMetrics({});
    metrics.request('POST', '/mcp', 200, 0.02);
    metrics.request('POST', '/mcp', 503, 0.5);
    metrics.request('GET', '/metrics', 200, 0.001);

    expect(samplesOf(await metrics.render())).toMatchObject({
      'http_requests_total{method="POST",status="200"}': 1,
      'http_requests_total{method="POST",status="503"}': 1,
      'http_requests_total{method="GET",status="200"}': 1,
      'http_request_duration_seconds_bucket{le="0.01",method="POST",endpoint="/mcp"}': 0,
      'http_request_duration_seconds_bucket{le="0.05",method="POST",endpoint="/mcp"}': 1,
      'http_request_duration_seconds_sum{method="POST",endpoint="/mcp"}': 0.52,
      'http_request_duration_seconds_count{method="GET",endpoint="/metrics"}': 1,
    });
  });

  test('limits the values of every label', async () => {
    const metrics = createMetrics({});
    metrics.request('GET', 'x'.repeat(201), 200, 0);
    for (let index = 0; index < 100; index++) metrics.request('BREW', `/${index}`, 10 ** index, 0);
    metrics.request('get', '/', Number.NaN, Number.NaN);

    const text = await metrics.render();

    expect(parsedSamples(text, 'http_requests_total')).toEqual([
      [{ method: 'GET', status: '200' }, 1],
      [{ method: 'other', status: 'other' }, 100],
      [{ method: 'other', status: '100' }, 1],
    ]);
    const counts = Object.entries(samplesOf(text)).filter(([name]) =>
      name.startsWith('http_request_duration_seconds_count'),
    );
    expect(counts).toHaveLength(52);
    expect(counts).toContainEqual(['http_request_duration_seconds_count{method="other",endpoint="/49"}', 1]);
    expect(counts).toContainEqual([
      'http_request_duration_seconds_count{method="other",endpoint="other"}',
      50,
    ]);
    expect(counts).toContainEqual(['http_request_duration_seconds_count{method="GET",endpoint="other"}', 1]);
  });
});
