import { createHash } from 'node:crypto';

import {
  type AuditRecord,
  CodeExecutorError,
  type ToolName,
  type ToolSource,
} from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolProxy } from '../index.js';
import { codeOf, fakeTools } from '../proxy.test.kit.js';

/** Whose calls these are. */
const ids = { executionId: 'exec_1', clientId: 'embedder', clientKind: 'embedder' };

const audited = () => {
  const events: AuditRecord[] = [];
  return { events, audit: (event: AuditRecord) => void events.push(event), executionId: 'exec_1' };
};
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown as string;
const duration = expect.any(Number) as unknown as number;

describe('the record of calls', () => {
  test('has every call, and one event for each', async () => {
    const { events, ...options } = audited();
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['mcp__test__*'], ...options });
    await proxy.callTool('mcp__test__echo', { text: 'a' });
    await proxy.callTool('mcp__test__fail', {});
    await codeOf(proxy.callTool('mcp__test__absent', {}));
    await codeOf(proxy.callTool('mcp__other__\u0000', {}));
    await codeOf(proxy.callTool(['mcp__test__echo'] as never, {}));
    const common = { startedAt: time, durationMs: duration };
    expect(proxy.calls).toEqual([
      { toolName: 'mcp__test__echo', server: 'test', status: 'success', resultBytes: 88, ...common },
      {
        toolName: 'mcp__test__fail',
        server: 'test',
        status: 'failure',
        resultBytes: 63,
        errorCode: 'tool_error',
        errorMessage: 'it failed',
        ...common,
      },
      {
        toolName: 'mcp__test__absent',
        status: 'rejected',
        errorCode: 'not_found',
        errorMessage: 'Tool mcp__test__absent does not exist; test has echo, fail.',
        ...common,
      },
      {
        toolName: 'mcp__other__\u0000',
        status: 'rejected',
        errorCode: 'not_found',
        errorMessage:
          'Tool mcp__other__\\u{0} does not exist because there is no server other; the servers are test.',
        ...common,
      },
      {
        toolName: 'array ["mcp__test__echo"]',
        status: 'rejected',
        errorCode: 'permission_denied',
        errorMessage: 'The name of a tool must be a string, not array ["mcp__test__echo"].',
        ...common,
      },
    ]);
    expect(events).toEqual(
      proxy.calls.map(({ toolName, server, status, errorCode, durationMs, resultBytes }, index) => ({
        type: errorCode === 'permission_denied' ? 'denial' : 'tool_call',
        timestamp: time,
        ...ids,
        toolName,
        status,
        durationMs,
        paramsHash: createHash('sha256')
          .update(index === 0 ? '{"text":"a"}' : '{}')
          .digest('hex'),
        ...(server && { server }),
        ...(errorCode && { errorCode }),
        ...(resultBytes !== undefined && { resultBytes }),
      })),
    );
  });

  test('has the queries of searches, and how many tools they found', async () => {
    const { events, ...options } = audited();
    const proxy = createToolProxy({ tools: fakeTools(), ...options });
    const { tools } = await proxy.listTools({ detail: 'names' });
    await proxy.listTools({ query: ' echo ', server: 'test', limit: 1 });
    // The lookup of a call by path is not a discovery.
    await proxy.listTools({ name: 'mcp__test__echo' });
    await proxy.listTools({ server: 'test', detail: 'schemas' });
    const common = { type: 'discovery', timestamp: time, ...ids, status: 'success' };
    expect(events).toEqual([
      { ...common, action: 'listed', count: tools.length },
      { ...common, action: 'searched', query: 'echo', server: 'test', count: 1 },
    ]);
  });

  test('has the time that a call waited for its turn', async () => {
    const { events, ...options } = audited();
    const source = fakeTools();
    const slow: ToolSource = {
      listTools: (listing) => source.listTools(listing),
      async callTool(name, args, callOptions) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        callOptions?.onStart?.();
        return source.callTool(name, args, callOptions);
      },
    };
    const proxy = createToolProxy({ tools: slow, allowedTools: ['mcp__test__*'], ...options });
    await proxy.callTool('mcp__test__echo', { text: 'a' });
    const [{ queuedMs = 0, durationMs = 0 } = {}] = events;
    expect(queuedMs).toBeGreaterThanOrEqual(19);
    expect(durationMs).toBeGreaterThanOrEqual(queuedMs);
  });

  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('is complete although an audit or a listener %s', async (_name, fail) => {
    const onCall = () => {
      throw new Error('no listener');
    };
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['*'], audit: fail, onCall });
    expect(await codeOf(proxy.callTool('mcp__test__echo', { text: 'x' }))).toBe('ok');
    await new Promise(setImmediate);
    expect(proxy.calls).toMatchObject([{ status: 'success' }]);
  });

  test('announces calls as they begin, not those that are refused', async () => {
    const begun: string[] = [];
    const proxy = createToolProxy({
      tools: fakeTools(),
      allowedTools: ['mcp__test__*'],
      onCall: (name) => begun.push(name),
    });
    await proxy.callTool('mcp__test__echo', {});
    await codeOf(proxy.callTool('mcp__test__absent', {}));
    await codeOf(proxy.callTool('mcp__other__x', {}));
    expect(begun).toEqual(['mcp__test__echo']);
  });

  test('limits names, messages, and the number of refusals', async () => {
    const tools = fakeToolSource({ mcp__test__fail: () => Promise.reject(new Error('x'.repeat(501))) });
    const failed = createToolProxy({ tools, allowedTools: ['*'] });
    await codeOf(failed.callTool('mcp__test__fail', {}));
    expect(failed.calls[0]?.errorMessage).toBe('x'.repeat(500));
    const proxy: ToolProxy = createToolProxy({ tools: fakeTools() });
    await codeOf(proxy.callTool('x'.repeat(1_000_000) as ToolName, {}));
    expect(proxy.calls[0]?.toolName).toHaveLength(256);
    for (let i = 0; i < 10_050; i++) {
      expect(await codeOf(proxy.callTool('mcp__test__echo', {}))).toBe('permission_denied');
    }
    expect(proxy.calls).toHaveLength(10_000);
  });

  test('writes a hundred searches and refusals of each kind, and then how many more there were', async () => {
    const { events, ...options } = audited();
    const budget = { maxCalls: 150 };
    const proxy = createToolProxy({
      tools: fakeTools(),
      allowedTools: ['mcp__test__echo', 'mcp__test__absent'],
      budget,
      ...options,
    });
    for (let i = 0; i < 150; i++) {
      await proxy.listTools(i % 2 ? { query: 'echo' } : {});
      await codeOf(proxy.callTool('mcp__test__fail', {}));
      await codeOf(proxy.callTool('mcp__test__absent', {}));
    }
    for (let i = 0; i < 101; i++) {
      expect(await codeOf(proxy.callTool('mcp__test__echo', {}))).toBe('resource_exhausted');
    }
    expect(events).toHaveLength(400);

    proxy.tellOmitted();
    const common = { timestamp: time, ...ids, action: 'omitted' };
    const refused = { ...common, type: 'tool_call', status: 'rejected' };
    const told = [
      { ...common, type: 'discovery', status: 'success', count: 50 },
      { ...common, type: 'denial', status: 'rejected', errorCode: 'permission_denied', count: 50 },
      { ...refused, errorCode: 'not_found', count: 50 },
      { ...refused, errorCode: 'resource_exhausted', count: 1 },
    ];
    expect(events.slice(400)).toEqual(told);

    // A second call of tellOmitted() does not count anything twice.
    await codeOf(proxy.callTool('mcp__test__fail', {}));
    proxy.tellOmitted();
    expect(events.slice(404)).toEqual([{ ...told[1], count: 1 }]);
  });

  test('has every call that was made, however many there are', async () => {
    const { events, ...options } = audited();
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['mcp__test__*'], ...options });
    for (let i = 0; i < 300; i++) await codeOf(proxy.callTool('mcp__test__echo', {}));
    proxy.tellOmitted();
    expect(events).toHaveLength(300);
  });

  test('keeps a whole result as it came', async () => {
    const result = {
      content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      structuredContent: { a: 1 },
      _meta: { b: 2 },
      isError: true,
    };
    const tools = fakeToolSource({ mcp__test__image: () => result });
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    expect(await proxy.callTool('mcp__test__image', {})).toBe(result);
    expect(proxy.calls).toMatchObject([
      { errorCode: 'tool_error', errorMessage: 'The tool failed and gave no reason.' },
    ]);
  });

  test("passes the source's own errors through, and hides foreign ones", async () => {
    const reasons = [
      new CodeExecutorError('unavailable', 'Queue full.', { retryAfterMs: 5 }),
      new Error('password'),
    ];
    const fake = fakeTools();
    const callTool = () => Promise.reject(reasons.shift() ?? new Error());
    const proxy = createToolProxy({ tools: { ...fake, callTool }, allowedTools: ['*'] });
    await expect(proxy.callTool('mcp__test__echo', {})).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterMs: 5,
    });
    await expect(proxy.callTool('mcp__test__echo', {})).rejects.toMatchObject({
      code: 'internal',
      message: 'An internal error occurred; see the log.',
    });
    expect(proxy.calls.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ['failure', 'unavailable'],
      ['failure', 'internal'],
    ]);
  });
});
