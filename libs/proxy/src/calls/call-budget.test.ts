import { fakeToolSource, heldSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, summarizeCalls } from '../index.js';
import { codeOf, fakeTools } from '../proxy.test.kit.js';

describe('budget', () => {
  test('refuses the 1001st call, and no earlier one', async () => {
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['mcp__test__*'] });
    const codes = await Promise.all(
      Array.from({ length: 1001 }, (_, i) => codeOf(proxy.callTool('mcp__test__echo', { text: `${i}` }))),
    );
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1000);
    expect(codes[1000]).toBe('resource_exhausted');
    expect(summarizeCalls(proxy.calls).toolCallSummary).toMatchObject([
      { callCount: 1000, successCount: 1000 },
    ]);
    await expect(proxy.callTool('mcp__test__echo', {})).rejects.toThrow(
      'This execution has made its 1000 tool calls; split the work over several executions (the limit is policy.budget.maxCalls).',
    );
  });

  test('does not count calls that the allowlist denies', async () => {
    const proxy = createToolProxy({
      tools: fakeTools(),
      allowedTools: ['mcp__test__echo'],
      budget: { maxCalls: 1 },
    });
    expect(await codeOf(proxy.callTool('mcp__test__fail', {}))).toBe('permission_denied');
    expect(await codeOf(proxy.callTool('mcp__test__echo', {}))).toBe('ok');
    expect(await codeOf(proxy.callTool('mcp__test__echo', {}))).toBe('resource_exhausted');
    expect(await codeOf(proxy.callTool('mcp__test__fail', {}))).toBe('permission_denied');
  });

  test('refuses the result that crosses maxBytes, and every later one', async () => {
    const tools = fakeToolSource({ mcp__test__text: (args) => 'x'.repeat(Number(args['size'])) });
    const bytes = Buffer.byteLength(JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(100) }] }));
    const proxy = createToolProxy({ tools, allowedTools: ['*'], budget: { maxBytes: 2 * bytes } });
    const call = (size: number) => codeOf(proxy.callTool('mcp__test__text', { size }));
    expect([await call(100), await call(100), await call(0), await call(0)]).toEqual([
      'ok',
      'ok',
      'resource_exhausted',
      'resource_exhausted',
    ]);
    expect(proxy.calls.map(({ status }) => status)).toEqual(['success', 'success', 'failure', 'rejected']);
    expect(proxy.calls[2]?.errorMessage).toBe(
      `The tool results of this execution are larger than ${2 * bytes} bytes together; ask the tools for less (the limit is policy.budget.maxBytes).`,
    );
    expect(tools.calls).toHaveLength(3);
  });

  test('allows 64 MB of results', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const proxy = createToolProxy({
      tools: fakeToolSource({ mcp__test__text: () => text }),
      allowedTools: ['*'],
    });
    const codes: string[] = [];
    for (let count = 0; count < 65; count++) codes.push(await codeOf(proxy.callTool('mcp__test__text', {})));
    // Each of them is a little larger than its text.
    expect(codes).toEqual([...Array<string>(63).fill('ok'), 'resource_exhausted', 'resource_exhausted']);
  });

  test('lets 32 calls run, and the others wait for their turn', async () => {
    const held = heldSource();
    const proxy = createToolProxy({ tools: held, allowedTools: ['*'] });
    const calls = Array.from({ length: 100 }, (_, n) => proxy.callTool('mcp__test__held', { n }));
    const order: unknown[] = [];
    await held.untilOpen(32);
    for (let answered = 0; answered < 100; answered++) {
      await held.untilOpen(Math.min(32, 100 - answered));
      const next = held.open[0];
      order.push(next?.args['n']);
      next?.answer();
    }
    await Promise.all(calls);
    expect(held.mostOpen).toBe(32);
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  test('calls that waited for their turn while the bytes were used up do not reach the server', async () => {
    const tools = fakeToolSource({ mcp__test__text: () => 'x'.repeat(100) });
    const budget = { maxConcurrent: 2, maxBytes: 100 };
    const proxy = createToolProxy({ tools, allowedTools: ['*'], budget });
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => codeOf(proxy.callTool('mcp__test__text', {}))),
    );
    expect(codes).toEqual(Array(10).fill('resource_exhausted'));
    expect(tools.calls).toHaveLength(2);
  });

  test.each([{ maxConcurrent: 0 }, { maxCalls: -1 }, { maxBytes: 1.5 }])('refuses %j', (budget) => {
    expect(() => createToolProxy({ tools: fakeTools(), budget })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });
});
