import { freePort } from '@code-executor/contracts/testing';
import { expect } from '@jest/globals';

import { type StartedHttpServer, tokenHash } from '../server-under-test/started-http-server.js';
import { type StartedServer } from '../server-under-test/started-server.js';
import { until } from '../server-under-test/until.js';
import { badServerEntry } from '../upstream-servers/entries.js';
import { type MetricValues, parseMetrics } from './parse-metrics.js';
import { oncePer, overHttp, overStdio, type EffectCheck } from './effect-check.js';
import { atOnce, inTurn, noSpares, up } from './upstream.js';

const port = await freePort();
const listingPort = await freePort();
const typescript = { language: 'typescript' };
const calls = { server: 'up' };

async function metrics(at = port): Promise<MetricValues> {
  return parseMetrics(await (await fetch(`http://127.0.0.1:${at}/metrics`)).text());
}

/** How much an action adds to a metric. */
async function added(act: () => Promise<unknown>, name: string, labels = {}): Promise<number> {
  const before = (await metrics()).sum(name, labels);
  await act();
  return (await metrics()).sum(name, labels) - before;
}

/** Checks how much a program adds to a metric. */
const adds =
  (amount: number, code: string, name: string, labels = {}) =>
  async (server: StartedServer) =>
    expect(await added(() => server.run(code), name, labels)).toBe(amount);

/** Checks that a gauge has this value while the programs run, and 0 afterwards. */
const holds =
  (name: string, ...programs: string[]) =>
  async (server: StartedServer) => {
    const leave = new AbortController();
    const runs = programs.map((code) =>
      server.run(code, {}, { signal: leave.signal }).catch(() => undefined),
    );
    await until(async () => (await metrics()).sum(name) === 1);
    leave.abort();
    await Promise.all(runs);
    await until(async () => (await metrics()).sum(name) === 0);
  };

const tell = inTurn(['tell']);
const endless = 'for (;;) {}';

const executionCheck = overStdio({
  config: {
    mcpServers: { ...up, bad: badServerEntry('dies'), worse: badServerEntry('dies') },
    sandbox: { maxConcurrent: 1, spares: noSpares },
    policy: { defaultAllowedTools: ['*'], servers: { up: { deny: ['change'] } } },
    pool: { maxConcurrent: 1, failureThreshold: 1 },
  },
  env: { HEALTH_CHECK_PORT: String(port) },
  shows: {
    executions_total: adds(1, 'return 1', 'executions_total', { ...typescript, status: 'success' }),
    execution_duration_seconds: adds(1, 'return 1', 'execution_duration_seconds_count', typescript),
    sandbox_startup_seconds: adds(1, 'return 1', 'sandbox_startup_seconds_count', typescript),
    executions_running: holds('executions_running', endless),
    executions_waiting: holds('executions_waiting', endless, endless),
    tool_calls_total: adds(1, tell, 'tool_calls_total', { ...calls, status: 'success' }),
    tool_call_duration_seconds: adds(1, tell, 'tool_call_duration_seconds_count', calls),
    tool_result_bytes_total: async (server) => {
      const bytesOf = (bytes: number) =>
        added(() => server.run(inTurn(['give', { bytes }])), 'tool_result_bytes_total', calls);
      expect((await bytesOf(1100)) - (await bytesOf(100))).toBe(1000);
    },
    returned_bytes_total: async (server) => {
      const bytesOf = (count: number) =>
        added(() => server.run(`return 'x'.repeat(${count})`), 'returned_bytes_total');
      expect((await bytesOf(5000)) - (await bytesOf(1000))).toBeGreaterThan(3900);
    },
    tokens_saved_estimate_total: async (server) => {
      const code = "await callMCPTool('mcp__up__give', { bytes: 40_000 })";
      const saved = await added(() => server.run(code), 'tokens_saved_estimate_total');
      // A quarter of the bytes, minus those of the execution's report.
      expect(Math.round(saved / 500)).toBe(20);
    },
    pool_active_connections: holds('pool_active_connections', inTurn(['wait', { ms: 10_000 }])),
    pool_queue_depth: holds('pool_queue_depth', atOnce(['wait', { ms: 10_000 }], ['wait', { ms: 10_000 }])),
    pool_queue_wait_seconds: adds(1, tell, 'pool_queue_wait_seconds_count'),
    denials_total: adds(1, inTurn(['change']), 'denials_total'),
    circuit_breaker_state: adds(1, "await callMCPTool('mcp__bad__die', {})", 'circuit_breaker_state', {
      server: 'bad',
    }),
    circuit_breaker_failures_total: adds(
      1,
      "await callMCPTool('mcp__worse__die', {})",
      'circuit_breaker_failures_total',
      { server: 'worse' },
    ),
  },
});

/** Checks what two listings add to the counts of the cache. */
const listTwice = oncePer(async (server: StartedServer) => {
  const counts: { hits: number; misses: number }[] = [];
  for (let lists = 0; lists < 3; lists++) {
    if (lists > 0) await server.run('await discoverMCPTools()');
    const now = await metrics(listingPort);
    counts.push({ hits: now.sum('cache_hits_total'), misses: now.sum('cache_misses_total') });
  }
  const steps = (of: 'hits' | 'misses') => counts.slice(1).map((one, i) => one[of] - (counts[i]?.[of] ?? 0));
  return { hits: steps('hits'), misses: steps('misses') };
});

/** Checks what is cached for programs. */
const readinessCheck = overStdio({
  config: {
    mcpServers: up,
    sandbox: { spares: { typescript: 1, python: 0 } },
    discovery: { timeoutMs: 60_000 },
  },
  env: { HEALTH_CHECK_PORT: String(listingPort) },
  shows: {
    sandbox_spares: async (server) => {
      expect((await metrics(listingPort)).sum('sandbox_spares', typescript)).toBe(0);
      await server.run('return 1');
      await until(async () => (await metrics(listingPort)).sum('sandbox_spares', typescript) === 1);
    },
    cache_misses_total: async (server) => expect((await listTwice(server)).misses).toEqual([1, 0]),
    cache_hits_total: async (server) => expect((await listTwice(server)).hits).toEqual([0, 1]),
  },
});

const tokens = { free: tokenHash('free'), limited: tokenHash('limited') };

/** Checks that a tool call with this answer adds one. */
const counts =
  (status: number, token: string, name: string, labels = {}) =>
  async (server: StartedHttpServer) => {
    const read = async () =>
      parseMetrics((await server.ask('/metrics', 'free')).body as string).sum(name, labels);
    const before = await read();
    expect((await server.call(token, 'mcp__none__x')).status).toBe(status);
    expect(await read()).toBe(before + 1);
  };

const httpCheck = overHttp({
  config: {
    http: {
      port: await freePort(),
      clients: {
        free: { tokenHash: tokens.free, rateLimit: { enabled: false } },
        limited: { tokenHash: tokens.limited, rateLimit: { maxRequests: 1 } },
      },
    },
  },
  shows: {
    auth_failures_total: counts(401, 'wrong', 'auth_failures_total'),
    rate_limited_total: async (server) => {
      expect((await server.call('limited', 'mcp__none__x')).status).toBe(403);
      await counts(429, 'limited', 'rate_limited_total')(server);
    },
    http_requests_total: counts(403, 'free', 'http_requests_total', { method: 'POST', status: '403' }),
    http_request_duration_seconds: counts(403, 'free', 'http_request_duration_seconds_count', {
      method: 'POST',
      endpoint: '/',
    }),
  },
});

export const metricChecks: EffectCheck[] = [executionCheck, readinessCheck, httpCheck];
