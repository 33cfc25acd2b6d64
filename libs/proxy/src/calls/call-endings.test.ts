import { type AuditRecord, type JsonObject } from '@code-executor/contracts';
import { heldSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, summarizeCalls } from '../index.js';
import { codeOf, fakeTools } from '../proxy.test.kit.js';

const audited = () => {
  const events: AuditRecord[] = [];
  return { events, audit: (event: AuditRecord) => void events.push(event), executionId: 'exec_1' };
};
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown as string;
const duration = expect.any(Number) as unknown as number;

describe('the record of calls', () => {
  test('summarizes per tool, without what the policy refused', async () => {
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['mcp__test__*'] });
    await proxy.callTool('mcp__test__fail', {});
    await codeOf(proxy.callTool('mcp__other__x', {}));
    await proxy.callTool('mcp__test__echo', { text: 'a' });
    await proxy.callTool('mcp__test__fail', {});
    await proxy.callTool('mcp__test__echo', { text: 'b' });
    const common = { totalDurationMs: duration, averageDurationMs: duration, lastCallDurationMs: duration };
    expect(summarizeCalls(proxy.calls)).toEqual({
      toolCallsMade: ['mcp__test__fail', 'mcp__test__echo'],
      toolCallSummary: [
        {
          toolName: 'mcp__test__fail',
          callCount: 2,
          successCount: 0,
          errorCount: 2,
          lastCallStatus: 'error',
          lastErrorMessage: 'it failed',
          lastCalledAt: time,
          ...common,
        },
        {
          toolName: 'mcp__test__echo',
          callCount: 2,
          successCount: 2,
          errorCount: 0,
          lastCallStatus: 'success',
          lastCalledAt: time,
          ...common,
        },
      ],
    });
    expect(summarizeCalls([])).toEqual({ toolCallsMade: [], toolCallSummary: [] });
  });

  test('counts calls that reached a server; refused names and arguments are errors in the summary', async () => {
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['mcp__test__*'] });
    await codeOf(proxy.callTool('mcp__test__ehco', {}));
    await codeOf(proxy.callTool('mcp__test__echo', 'text' as unknown as JsonObject));
    await proxy.callTool('mcp__test__fail', {});
    const { toolCallsMade, toolCallSummary } = summarizeCalls(proxy.calls);
    expect(toolCallsMade).toEqual(['mcp__test__fail']);
    expect(toolCallSummary.map(({ toolName, errorCount }) => [toolName, errorCount])).toEqual([
      ['mcp__test__ehco', 1],
      ['mcp__test__echo', 1],
      ['mcp__test__fail', 1],
    ]);
  });

  test('computes durations over the calls that ended', () => {
    const call = (status: 'running' | 'success' | 'failure', durationMs: number, startedAt: string) => ({
      toolName: 'mcp__a__b',
      status,
      durationMs,
      startedAt,
      ...(status === 'failure' && { errorMessage: 'no' }),
    });
    const calls = [call('failure', 10, 't1'), call('success', 21, 't2'), call('running', 0, 't3')];
    expect(summarizeCalls(calls).toolCallSummary).toEqual([
      {
        toolName: 'mcp__a__b',
        callCount: 3,
        successCount: 1,
        errorCount: 1,
        totalDurationMs: 31,
        averageDurationMs: 16,
        lastCallDurationMs: 21,
        lastCallStatus: 'success',
        lastErrorMessage: 'no',
        lastCalledAt: 't3',
      },
    ]);
  });

  test.each<[string, (controllers: { run: AbortController; call: AbortController }) => void]>([
    ['the execution', ({ run }) => run.abort()],
    ['the caller', ({ call }) => call.abort('any reason')],
  ])('has a call that %s cancels in flight once, and drops its late result', async (_name, cancel) => {
    const { events, ...options } = audited();
    const held = heldSource();
    const controllers = { run: new AbortController(), call: new AbortController() };
    const proxy = createToolProxy({
      tools: held,
      allowedTools: ['*'],
      signal: controllers.run.signal,
      ...options,
    });
    const call = codeOf(proxy.callTool('mcp__test__held', {}, { signal: controllers.call.signal }));
    await held.untilOpen(1);
    expect(proxy.calls).toMatchObject([{ status: 'running' }]);
    cancel(controllers);
    expect(await call).toBe('cancelled');
    expect(held.open[0]?.options.signal?.aborted).toBe(true);
    held.open[0]?.answer('late');
    await new Promise(setImmediate);
    const errorMessage = 'The execution ended before the call did.';
    expect(proxy.calls).toMatchObject([{ status: 'failure', errorCode: 'cancelled', errorMessage }]);
    expect(events).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'tool_call', status: 'failure', errorCode: 'cancelled' }]);
  });

  test('has no running calls from the moment in which the execution ends', async () => {
    const held = heldSource();
    const run = new AbortController();
    const proxy = createToolProxy({ tools: held, allowedTools: ['*'], signal: run.signal });
    const calls = [1, 2].map(() => codeOf(proxy.callTool('mcp__test__held', {})));
    await held.untilOpen(2);
    held.open[0]?.answer();
    expect(await calls[0]).toBe('ok');
    run.abort();
    expect(summarizeCalls(proxy.calls).toolCallSummary).toMatchObject([
      { callCount: 2, successCount: 1, errorCount: 1, lastCallStatus: 'error' },
    ]);
    expect(await calls[1]).toBe('cancelled');
  });

  test('has calls that were cancelled before they began as rejected, and starts none afterwards', async () => {
    const { events, ...options } = audited();
    const held = heldSource();
    const run = new AbortController();
    const budget = { maxConcurrent: 1 };
    const proxy = createToolProxy({
      tools: held,
      allowedTools: ['*'],
      signal: run.signal,
      budget,
      ...options,
    });
    const calls = [1, 2, 3].map(() => codeOf(proxy.callTool('mcp__test__held', {})));
    await held.untilOpen(1);
    run.abort();
    expect(await Promise.all(calls)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await codeOf(proxy.callTool('mcp__test__held', {}))).toBe('cancelled');
    expect(proxy.calls.map(({ status }) => status)).toEqual(['failure', 'rejected', 'rejected', 'rejected']);
    expect(events).toHaveLength(4);
    expect(held.mostOpen).toBe(1);
    expect(summarizeCalls(proxy.calls).toolCallSummary).toMatchObject([{ callCount: 1 }]);
  });

  test('says of a call that ran out of time that it did', async () => {
    const held = heldSource();
    const proxy = createToolProxy({ tools: held, allowedTools: ['*'] });
    expect(await codeOf(proxy.callTool('mcp__test__held', {}, { signal: AbortSignal.timeout(20) }))).toBe(
      'deadline_exceeded',
    );
  });
});
