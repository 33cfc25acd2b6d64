import {
  type AuditEvent,
  CodeExecutorError,
  type FailedServer,
  type ToolListing,
  type ToolName,
  type ToolSource,
} from '@code-executor/contracts';
import { describeToolSource, fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, summarizeCalls, type ToolProxy } from './index.js';

const fakeTools = () =>
  fakeToolSource({
    mcp__test__echo: (args) => ({ text: args['text'] }),
    mcp__test__fail: () => {
      throw new Error('it failed');
    },
  });

// Unknown names outside the allowlist are denied, not unknown: the suite asks about unknown ones.
describeToolSource('createToolProxy', () =>
  Promise.resolve({ source: createToolProxy({ tools: fakeTools(), allowedTools: ['*'] }) }),
);

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (reason: unknown) => CodeExecutorError.from(reason).code,
  );

/** A source whose calls end when the test says so. */
function heldSource() {
  const running: { name: string; answer: (text?: string) => void; signal?: AbortSignal }[] = [];
  let most = 0;
  let onStart: () => void = () => undefined;
  const tools: ToolSource = {
    listTools: ({ name = 'mcp__test__held' } = {}) =>
      Promise.resolve({
        tools: [{ name: name as ToolName, server: 'test', parameters: {} }],
        failedServers: [],
      }),
    callTool: (name, args, { signal } = {}) =>
      new Promise((resolve) => {
        const entry = {
          name: typeof args['n'] === 'number' ? String(args['n']) : name,
          ...(signal && { signal }),
          answer: (text = 'ok') => {
            running.splice(running.indexOf(entry), 1);
            resolve({ content: [{ type: 'text', text }] });
          },
        };
        running.push(entry);
        most = Math.max(most, running.length);
        onStart();
      }),
  };
  return {
    tools,
    running,
    most: () => most,
    /** Waits until so many calls have reached the source. */
    started: (count: number) =>
      new Promise<void>((resolve) => {
        onStart = () => running.length >= count && resolve();
        onStart();
      }),
  };
}

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

  test('a tool outside the allowlist stays permission_denied, and costs nothing', async () => {
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

  test('has 32 calls under way, and the others wait their turn', async () => {
    const held = heldSource();
    const proxy = createToolProxy({ tools: held.tools, allowedTools: ['*'] });
    const calls = Array.from({ length: 100 }, (_, n) => proxy.callTool('mcp__test__held', { n }));
    const order: string[] = [];
    await held.started(32);
    for (let answered = 0; answered < 100; answered++) {
      await held.started(Math.min(32, 100 - answered));
      const next = held.running[0];
      order.push(next?.name ?? '');
      next?.answer();
    }
    await Promise.all(calls);
    expect(held.most()).toBe(32);
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => String(n)));
  });

  test.each([{ maxConcurrent: 0 }, { maxCalls: -1 }, { maxBytes: 1.5 }])('refuses %j', (budget) => {
    expect(() => createToolProxy({ tools: fakeTools(), budget })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }) as Error,
    );
  });
});

describe('unknown tools', () => {
  const messageFor = async (name: string, allowedTools = ['*']) => {
    const tools = fakeToolSource({
      mcp__filesystem__read_file: () => '',
      mcp__filesystem__read_files: () => '',
      mcp__filesystem__write_file: () => '',
      mcp__github__search_issues: () => '',
    });
    const call = createToolProxy({ tools, allowedTools }).callTool(name as ToolName, {});
    return call.then(
      () => 'ok',
      (reason: unknown) => {
        expect(CodeExecutorError.from(reason).code).toBe('not_found');
        return (reason as Error).message;
      },
    );
  };

  test.each([
    [
      'mcp__filesystem__readfile',
      'Tool mcp__filesystem__readfile does not exist; did you mean mcp__filesystem__read_file or mcp__filesystem__read_files or mcp__filesystem__write_file?',
    ],
    [
      'mcp__gitlab__search_issues',
      'Tool mcp__gitlab__search_issues does not exist; did you mean mcp__github__search_issues?',
    ],
    ['search_issues', 'Tool search_issues does not exist; did you mean mcp__github__search_issues?'],
    ['SearchIssues', 'Tool SearchIssues does not exist; did you mean mcp__github__search_issues?'],
    [
      'mcp__weather__forecast',
      'Tool mcp__weather__forecast does not exist; list the tools to see what there is.',
    ],
    ['', 'Tool "" does not exist; list the tools to see what there is.'],
  ])('%j: near names', async (name, message) => {
    expect(await messageFor(name)).toBe(message);
  });

  test('suggests only what may be called', async () => {
    expect(
      await messageFor('mcp__filesystem__rite_file', [
        'mcp__filesystem__*_files',
        'mcp__filesystem__rite_file',
      ]),
    ).toBe('Tool mcp__filesystem__rite_file does not exist; did you mean mcp__filesystem__read_files?');
  });
});

describe('discovery', () => {
  const asked: string[] = [];
  const failure: FailedServer = {
    server: 'dead',
    reason: 'It exited with code 1.',
    fix: 'Check its command.',
  };
  const source = (): ToolSource => {
    const fake = fakeTools();
    asked.length = 0;
    return {
      callTool: (...args) => fake.callTool(...args),
      listTools: async (options = {}): Promise<ToolListing> => {
        asked.push(options.name ?? 'all');
        const listing = await fake.listTools(options);
        const concernsDead = options.name === undefined || options.name.startsWith('mcp__dead__');
        return { ...listing, failedServers: concernsDead ? [failure] : [] };
      },
    };
  };

  test('shows tools that the caller did not allow, and marks those that the policy forbids', async () => {
    const policy = { ceiling: ['mcp__test__echo'] };
    const proxy = createToolProxy({ tools: source(), policy });
    const { tools } = await proxy.listTools();
    expect(tools.map(({ name, unavailable }) => [name, unavailable])).toEqual([
      ['mcp__test__echo', undefined],
      [
        'mcp__test__fail',
        {
          reason: "The server's policy forbids this tool (policy.ceiling).",
          fix: 'Use another tool, or have the operator change policy.ceiling.',
        },
      ],
    ]);
    const one = await proxy.listTools({ name: 'mcp__test__fail' });
    expect(one.tools[0]?.unavailable).toEqual(tools[1]?.unavailable);
  });

  test('fetches the full listing once, even for callers at the same time', async () => {
    const proxy = createToolProxy({ tools: source(), allowedTools: ['*'] });
    const listings = await Promise.all([
      proxy.listTools(),
      proxy.listTools({ query: 'echo' }),
      proxy.listTools(),
    ]);
    await proxy.listTools({ query: 'FAIL', limit: 1 });
    await proxy.listTools({ name: 'mcp__test__echo' });
    await proxy.callTool('mcp__test__echo', { text: 'x' });
    expect(asked).toEqual(['all']);
    expect(listings.map(({ tools }) => tools.length)).toEqual([2, 1, 2]);
    expect(listings.map(({ failedServers }) => failedServers)).toEqual([[failure], [failure], [failure]]);
  });

  test('asks for the one tool where one is needed', async () => {
    const proxy = createToolProxy({ tools: source(), allowedTools: ['*'] });
    await Promise.all([1, 2, 3].map(() => proxy.callTool('mcp__test__echo', {})));
    await proxy.listTools({ name: 'mcp__test__fail' });
    await proxy.callTool('mcp__test__fail', {});
    expect(asked).toEqual(['mcp__test__echo', 'mcp__test__fail']);
    expect(proxy.failedServers).toEqual([]);
  });

  test('answers unavailable for a server that failed, and asks it once', async () => {
    const proxy = createToolProxy({ tools: source(), allowedTools: ['*'] });
    const call = () => proxy.callTool('mcp__dead__read', {});
    await expect(call()).rejects.toMatchObject({
      code: 'unavailable',
      server: 'dead',
      tool: 'mcp__dead__read',
      retryAfterMs: 30_000,
      message:
        'Tool mcp__dead__read cannot be called, for its server dead is unavailable: It exited with code 1. Check its command.',
    });
    expect(await codeOf(call())).toBe('unavailable');
    expect(await codeOf(proxy.callTool('mcp__dead__write', {}))).toBe('unavailable');
    expect(asked).toEqual(['mcp__dead__read']);
    await proxy.listTools();
    expect(await codeOf(call())).toBe('unavailable');
    expect(proxy.failedServers).toEqual([failure]);
    expect(asked).toEqual(['mcp__dead__read', 'all']);
  });

  test('a failed server does not stand for another whose name begins like its own', async () => {
    const tools = fakeToolSource(
      { mcp__dead__sea__read: () => 'x' },
      { mcp__dead__sea__read: { server: 'dead__sea' } },
    );
    const listTools = async (options = {}) => ({
      ...(await tools.listTools(options)),
      failedServers: [failure],
    });
    const proxy = createToolProxy({ tools: { ...tools, listTools }, allowedTools: ['*'] });
    expect(await codeOf(proxy.callTool('mcp__dead__sea__read', {}))).toBe('ok');
    expect(await codeOf(proxy.callTool('mcp__dead__sea__drink', {}))).toBe('not_found');
  });

  test('tries again after a listing that was cut short', async () => {
    const fake = fakeTools();
    let attempts = 0;
    const listTools: ToolSource['listTools'] = (options) =>
      ++attempts === 1 ? Promise.reject(new Error('secret')) : fake.listTools(options);
    const proxy = createToolProxy({ tools: { ...fake, listTools } });
    await expect(proxy.listTools()).rejects.toMatchObject({
      code: 'internal',
      message: 'An internal error occurred; see the log.',
    });
    expect((await proxy.listTools()).tools).toHaveLength(2);
  });

  test('stops waiting when the caller cancels, and does not spoil it for others', async () => {
    let release: (listing: ToolListing) => void = () => undefined;
    const listTools = () => new Promise<ToolListing>((resolve) => (release = resolve));
    const proxy = createToolProxy({ tools: { ...fakeTools(), listTools } });
    const controller = new AbortController();
    const impatient = proxy.listTools({ signal: controller.signal });
    const patient = proxy.listTools();
    controller.abort(new Error('own reason'));
    expect(await codeOf(impatient)).toBe('cancelled');
    release({ tools: [], failedServers: [] });
    expect(await patient).toEqual({ tools: [], failedServers: [] });
  });
});

describe('the record of calls', () => {
  const audited = () => {
    const events: AuditEvent[] = [];
    return { events, audit: (event: AuditEvent) => void events.push(event), executionId: 'exec_1' };
  };
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown as string;
  const duration = expect.any(Number) as unknown as number;

  test('has every call, and the audit one event for each', async () => {
    const { events, ...options } = audited();
    const proxy = createToolProxy({ tools: fakeTools(), allowedTools: ['mcp__test__*'], ...options });
    await proxy.callTool('mcp__test__echo', { text: 'a' });
    await proxy.callTool('mcp__test__fail', {});
    await codeOf(proxy.callTool('mcp__test__absent', {}));
    await codeOf(proxy.callTool('mcp__other__\u0000', {}));
    await codeOf(proxy.callTool(['mcp__test__echo'] as never, {}));
    const common = { startedAt: time, durationMs: duration };
    expect(proxy.calls).toEqual([
      { toolName: 'mcp__test__echo', server: 'test', status: 'success', ...common },
      {
        toolName: 'mcp__test__fail',
        server: 'test',
        status: 'failure',
        errorCode: 'tool_error',
        errorMessage: 'it failed',
        ...common,
      },
      {
        toolName: 'mcp__test__absent',
        status: 'rejected',
        errorCode: 'not_found',
        errorMessage: 'Tool mcp__test__absent does not exist; list the tools to see what there is.',
        ...common,
      },
      {
        toolName: 'mcp__other__\u0000',
        status: 'rejected',
        errorCode: 'permission_denied',
        errorMessage: expect.stringContaining(
          'mcp__other__\\u{0} is not in allowedTools',
        ) as unknown as string,
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
      proxy.calls.map(({ toolName, server, status, errorCode, durationMs }) => ({
        type: errorCode === 'permission_denied' ? 'denial' : 'tool_call',
        timestamp: time,
        executionId: 'exec_1',
        toolName,
        status,
        durationMs,
        ...(server && { server }),
        ...(errorCode && { errorCode }),
      })),
    );
  });

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
      tools: held.tools,
      allowedTools: ['*'],
      signal: controllers.run.signal,
      ...options,
    });
    const call = codeOf(proxy.callTool('mcp__test__held', {}, { signal: controllers.call.signal }));
    await held.started(1);
    expect(proxy.calls).toMatchObject([{ status: 'running' }]);
    cancel(controllers);
    expect(await call).toBe('cancelled');
    expect(held.running[0]?.signal?.aborted).toBe(true);
    held.running[0]?.answer('late');
    await new Promise(setImmediate);
    expect(proxy.calls).toMatchObject([{ status: 'failure', errorCode: 'cancelled' }]);
    expect(events).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'tool_call', status: 'failure', errorCode: 'cancelled' }]);
  });

  test('has calls that were cancelled before they began as rejected, and starts none afterwards', async () => {
    const { events, ...options } = audited();
    const held = heldSource();
    const run = new AbortController();
    const budget = { maxConcurrent: 1 };
    const proxy = createToolProxy({
      tools: held.tools,
      allowedTools: ['*'],
      signal: run.signal,
      budget,
      ...options,
    });
    const calls = [1, 2, 3].map(() => codeOf(proxy.callTool('mcp__test__held', {})));
    await held.started(1);
    run.abort();
    expect(await Promise.all(calls)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await codeOf(proxy.callTool('mcp__test__held', {}))).toBe('cancelled');
    expect(proxy.calls.map(({ status }) => status)).toEqual(['failure', 'rejected', 'rejected', 'rejected']);
    expect(events).toHaveLength(4);
    expect(held.most()).toBe(1);
    expect(summarizeCalls(proxy.calls).toolCallSummary).toMatchObject([{ callCount: 1 }]);
  });

  test('a call that ran out of time says so', async () => {
    const held = heldSource();
    const proxy = createToolProxy({ tools: held.tools, allowedTools: ['*'] });
    expect(await codeOf(proxy.callTool('mcp__test__held', {}, { signal: AbortSignal.timeout(20) }))).toBe(
      'deadline_exceeded',
    );
  });

  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('is not disturbed by an audit or a listener that %s', async (_name, fail) => {
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

  test('is bounded: names, messages, and the number of refusals', async () => {
    const { events, ...options } = audited();
    const proxy: ToolProxy = createToolProxy({ tools: fakeTools(), ...options });
    await codeOf(proxy.callTool('x'.repeat(1_000_000) as ToolName, {}));
    expect(proxy.calls[0]?.toolName).toHaveLength(256);
    expect(proxy.calls[0]?.errorMessage?.length).toBeLessThanOrEqual(500);
    for (let i = 0; i < 10_050; i++) {
      expect(await codeOf(proxy.callTool('mcp__test__echo', {}))).toBe('permission_denied');
    }
    expect(proxy.calls).toHaveLength(10_000);
    expect(events).toHaveLength(10_000);
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
