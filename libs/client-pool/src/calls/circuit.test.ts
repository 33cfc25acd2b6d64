import { afterEach, describe, expect, test } from '@jest/globals';
import { type AuditRecord } from '@code-executor/contracts';

import { ClientPool } from '../client-pool.js';
import { errorOf, patient, stdioServer, until } from '../fixture-servers.test.support.js';
import type { ServerStats, UpstreamServer } from '../options.js';

const wild = stdioServer('wild-server.mjs', 'stdio');
const raw = stdioServer('raw-server.mjs', 'ambiguous', 'no_result', 'null_result');

let pool: ClientPool | undefined;
let events: AuditRecord[] = [];
const open = (server: UpstreamServer, options = {}) => {
  events = [];
  const audit = (event: AuditRecord) => void events.push(event);
  pool = new ClientPool({ ...patient, servers: { wild: server }, audit, ...options });
  return pool;
};
afterEach(() => pool?.close());

const circuit = () => {
  const { circuit, failuresInRow, circuitFailures } = (pool as ClientPool).stats.servers[0] as ServerStats;
  return { state: circuit, failuresInRow, circuitFailures };
};
const actions = () => events.map(({ type, action, server }) => [type, action, server].join(' '));
const call = (tool: string, options = {}) => (pool as ClientPool).callTool(`mcp__wild__${tool}`, {}, options);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const fail = async (tool: string, times: number) => {
  const codes = [];
  for (let time = 0; time < times; time += 1) codes.push((await errorOf(call(tool))).code);
  return codes;
};

describe('Circuit', () => {
  test.each<[string, UpstreamServer, string, string, object?]>([
    ['a lost connection', wild, 'crash', 'unavailable'],
    ['a timeout', wild, 'hang', 'deadline_exceeded', { callTimeoutMs: 300 }],
    ['a result that is none', raw, 'no_result', 'internal'],
    ['an answer that is no message', raw, 'null_result', 'internal'],
    ['no connection', { command: '/no/such/command' }, 'any', 'unavailable'],
  ])('opens after five failures in a row: %s', async (_what, server, tool, code, options = {}) => {
    const pool = open(server, options);
    expect(await fail(tool, 4)).toEqual(Array(4).fill(code));
    expect(circuit()).toEqual({ state: 'closed', failuresInRow: 4, circuitFailures: 4 });
    expect(await fail(tool, 1)).toEqual([code]);
    expect(circuit()).toEqual({ state: 'open', failuresInRow: 5, circuitFailures: 5 });
    const { state } = pool.stats.servers[0] ?? {};
    const refused = await errorOf(call(tool));
    expect(refused).toMatchObject({ code: 'unavailable', server: 'wild', tool: `mcp__wild__${tool}` });
    expect(refused.message).toContain('its circuit is open after 5 failures in a row; the last: ');
    expect(refused.retryAfterMs).toBeGreaterThan(20_000);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(30_000);
    // Refusals do not count as failures, and connect nothing.
    expect(pool.stats.servers[0]).toMatchObject({ state, circuitFailures: 5 });
    expect(actions()).toEqual(['circuit opened wild']);
    expect(events[0]).toMatchObject({ status: 'failure', timestamp: expect.stringMatching(/^2.*Z$/) });
  });

  test.each([
    ['the error of a tool', 'media', undefined],
    ['refused arguments', 'invalid', 'invalid_argument'],
    ['an unknown method', 'no_method', 'not_found'],
    ['an error that the server answers', 'internal', 'internal'],
  ])('does not count %s as a failure', async (_what, tool, code) => {
    open(wild);
    await fail('malformed', 4);
    for (let time = 0; time < 6; time += 1) {
      const outcome = await call(tool).catch((error: unknown) => error);
      expect((outcome as { code?: string }).code).toBe(code);
    }
    expect(circuit()).toEqual({ state: 'closed', failuresInRow: 0, circuitFailures: 4 });
    expect(await fail('malformed', 4)).toHaveLength(4);
    expect(circuit().state).toBe('closed');
  });

  test('does not count timeouts while the server answers other calls', async () => {
    open(wild, { callTimeoutMs: 2000, failureThreshold: 2 });
    await call('pid');
    const hanging = numbers(5).map(() => errorOf(call('hang')));
    await call('pid');
    expect((await Promise.all(hanging)).map(({ code }) => code)).toEqual(Array(5).fill('deadline_exceeded'));
    expect(circuit()).toEqual({ state: 'closed', failuresInRow: 0, circuitFailures: 0 });
    // No other call gets an answer.
    await Promise.all(numbers(2).map(() => errorOf(call('hang'))));
    expect(circuit()).toEqual({ state: 'open', failuresInRow: 2, circuitFailures: 2 });
  });

  test('counts a cancelled call neither as a failure nor as a success', async () => {
    open(wild, { failureThreshold: 2 });
    await fail('malformed', 1);
    for (let time = 0; time < 3; time += 1) {
      const stop = new AbortController();
      const hanging = errorOf(call('hang', { signal: stop.signal }));
      await new Promise((resolve) => setImmediate(resolve));
      stop.abort('any reason');
      expect((await hanging).code).toBe('cancelled');
    }
    expect(circuit()).toEqual({ state: 'closed', failuresInRow: 1, circuitFailures: 1 });
    await fail('malformed', 1);
    expect(circuit().state).toBe('open');
  });

  test('counts all calls that are lost with one connection as one failure', async () => {
    open(wild);
    await call('pid');
    const lost = Array.from({ length: 8 }, () => errorOf(call('hang')));
    await errorOf(call('crash'));
    expect((await Promise.all(lost)).map(({ code }) => code)).toEqual(Array(8).fill('unavailable'));
    expect(circuit()).toEqual({ state: 'closed', failuresInRow: 1, circuitFailures: 1 });
    await call('pid');
    expect(circuit().failuresInRow).toBe(0);
  });

  test('lets one call try after resetTimeoutMs, and closes when it works', async () => {
    open(wild, { failureThreshold: 1, resetTimeoutMs: 200 });
    await fail('malformed', 1);
    await until(() => circuit().state === 'half_open');
    const stop = new AbortController();
    const trial = errorOf(call('hang', { signal: stop.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await errorOf(call('pid'))).toMatchObject({ code: 'unavailable', retryAfterMs: 1000 });
    // A trial that its caller cancels shows nothing, so the next call is another trial.
    stop.abort();
    expect((await trial).code).toBe('cancelled');
    expect(circuit().state).toBe('half_open');
    await call('pid');
    expect(circuit()).toEqual({ state: 'closed', failuresInRow: 0, circuitFailures: 1 });
    expect(actions()).toEqual(['circuit opened wild', 'circuit half_open wild', 'circuit closed wild']);
  });

  test('does not take the end of a call that began earlier for the trial', async () => {
    open(wild, { failureThreshold: 1, resetTimeoutMs: 200 });
    await call('pid');
    const stop = new AbortController();
    const hanging = errorOf(call('hang', { signal: stop.signal }));
    await fail('malformed', 1);
    await until(() => circuit().state === 'half_open');
    stop.abort();
    expect((await hanging).code).toBe('cancelled');
    expect(circuit().state).toBe('half_open');
  });

  test('is open again when the trial fails', async () => {
    open(wild, { failureThreshold: 2, resetTimeoutMs: 200 });
    await fail('crash', 2);
    await until(() => circuit().state === 'half_open');
    expect(await fail('malformed', 1)).toEqual(['internal']);
    expect(circuit()).toEqual({ state: 'open', failuresInRow: 3, circuitFailures: 3 });
    await until(() => circuit().state === 'half_open');
    await call('pid');
    expect(circuit().state).toBe('closed');
  });

  test('lets each trial connect a server again that could not be connected', async () => {
    open({ command: '/no/such/command' }, { failureThreshold: 1, resetTimeoutMs: 100 });
    for (let trial = 1; trial <= 3; trial += 1) {
      const error = await errorOf(call('any'));
      expect(error.message).toContain('its command command was not found');
      expect(circuit()).toEqual({ state: 'open', failuresInRow: trial, circuitFailures: trial });
      await until(() => circuit().state === 'half_open');
    }
  });

  test('shows the tools of the last listing while it is open, as unavailable', async () => {
    const pool = open(wild, { failureThreshold: 1, resetTimeoutMs: 300 });
    const before = await pool.listTools();
    await fail('malformed', 1);
    const { tools, failedServers } = await pool.listTools();
    const reason = expect.stringMatching(/^its circuit is open after a failure; the last: Server wild/);
    const fix = expect.stringContaining('tried again');
    expect(failedServers).toEqual([{ server: 'wild', reason, fix, retryAfterMs: expect.any(Number) }]);
    expect(tools).toEqual(before.tools.map((tool) => ({ ...tool, unavailable: { reason, fix } })));
    expect((await pool.listTools()).tools).toBe(tools);
    await until(() => circuit().state === 'half_open');
    expect(await pool.listTools()).toEqual(before);
  });

  test('refuses a call that waited for its turn while the circuit opened', async () => {
    const pool = open(wild, { failureThreshold: 1, maxConcurrent: 1 });
    await pool.listTools();
    const [first, second] = await Promise.all([errorOf(call('crash')), errorOf(call('hang'))]);
    expect(first.message).toContain('exited with code 3');
    expect(second.message).toContain('its circuit is open');
    expect(circuit()).toEqual({ state: 'open', failuresInRow: 1, circuitFailures: 1 });
  });
});
