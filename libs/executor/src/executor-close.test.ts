import { describe, expect, test } from '@jest/globals';
import { type ExecutionResult } from '@code-executor/contracts';
import { heldSource } from '@code-executor/contracts/testing';

import type { Executor } from './executor.js';
import { python } from './languages/python.js';
import { typescript } from './languages/typescript.js';
import { createExecutor } from './queued-executor.js';
import { sandboxOf, runs, tools, executorOf, untilCancelled } from './executor-of.test.support.js';

describe('createExecutor', () => {
  test('refuses a request that does not fit into the queue, with the time to try again', async () => {
    const caller = new AbortController();
    const { executor } = executorOf(({ signal }) => untilCancelled(signal), {
      queue: { maxConcurrent: 1, maxQueued: 0 },
    });
    const running = executor.execute({ code: 'x' }, { signal: caller.signal });
    expect(executor.stats).toMatchObject({ running: 1, waiting: 0, max: 1 });
    expect(await executor.execute({ code: 'x' })).toMatchObject({
      status: 'failed',
      errorCode: 'unavailable',
      retryAfterMs: 60_000,
    });
    caller.abort();
    expect(await running).toMatchObject({ success: false, status: 'cancelled', isolation: 'portable' });
  });

  test('cancels an execution that waits', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const { executor } = executorOf(({ signal }) => untilCancelled(signal), { queue: { maxConcurrent: 1 } });
    const running = executor.execute({ code: 'x' }, { signal: first.signal });
    const waiting = executor.execute({ code: 'x' }, { signal: second.signal });
    second.abort();
    const report = await waiting;
    expect(report).toMatchObject({ status: 'cancelled', errorCode: 'cancelled', executionTimeMs: 0 });
    expect(report).not.toHaveProperty('isolation');
    first.abort();
    await running;
  });

  const oneEndedCall = [
    {
      toolName: 'mcp__test__echo',
      callCount: 1,
      successCount: 0,
      errorCount: 1,
      lastCallStatus: 'error',
      lastErrorMessage: 'The execution ended before the call did.',
    },
  ];

  test.each<[string, (calls: AbortController) => void | Promise<void>]>([
    ['leaves to the executor', () => undefined],
    ['ends itself at that moment', (calls) => calls.abort()],
    [
      'ended itself a while ago',
      async (calls) => {
        calls.abort();
        await new Promise(setImmediate);
      },
    ],
  ])(
    'has a call as an error that was open at the time limit, and that the sandbox %s',
    async (_name, end) => {
      const held = heldSource();
      const { executor } = executorOf(
        async (request) => {
          const calls = new AbortController();
          const options = { signal: calls.signal };
          request.tools.callTool('mcp__test__echo', { text: 'a' }, options).catch(() => undefined);
          await held.untilOpen(1);
          await end(calls);
          return { status: 'timed_out', error: { code: 'deadline_exceeded', message: 'Too late.' } };
        },
        { tools: held },
      );
      const report = await executor.execute({ code: 'x', allowedTools: ['*'] });
      expect(report).toMatchObject({
        status: 'timed_out',
        toolCallsMade: ['mcp__test__echo'],
        toolCallSummary: oneEndedCall,
      });
      expect(held.open[0]?.options.signal?.aborted).toBe(true);
    },
  );

  test.each(['the caller cancels', 'the executor closes', 'the host fails'])(
    'has a call as an error that is open when %s',
    async (how) => {
      const held = heldSource();
      const { executor } = executorOf(
        async ({ tools: calls, signal }) => {
          calls.callTool('mcp__test__echo', { text: 'a' }).catch(() => undefined);
          await held.untilOpen(1);
          if (how === 'the host fails') throw new Error('no more memory');
          return untilCancelled(signal);
        },
        { tools: held },
      );
      const caller = new AbortController();
      const running = executor.execute({ code: 'x', allowedTools: ['*'] }, { signal: caller.signal });
      await held.untilOpen(1);
      if (how === 'the caller cancels') caller.abort();
      if (how === 'the executor closes') await executor.close();
      const report = await running;
      expect(report.status).toBe(how === 'the host fails' ? 'failed' : 'cancelled');
      expect(report.toolCallSummary).toMatchObject(oneEndedCall);
    },
  );

  test('reports the last tool called and the last line printed as progress', async () => {
    const { executor } = executorOf(async ({ tools: source, onOutput }) => {
      await source.callTool('mcp__test__echo', { text: 'a' });
      onOutput?.({ stream: 'stdout', text: 'one\ntwo\nthr' });
      onOutput?.({ stream: 'stdout', text: 'ee\n\n' });
      onOutput?.({ stream: 'stderr', text: `${'x'.repeat(100_000)}\n` });
      return {};
    });
    const messages: string[] = [];
    await executor.execute(
      { code: 'x', allowedTools: ['*'] },
      { onProgress: (message) => messages.push(message) },
    );
    expect(messages).toEqual(['calling mcp__test__echo', 'two', 'three', 'x'.repeat(200)]);
  });

  test('close({ drainMs }) lets executions that run and wait end, and refuses more at once', async () => {
    const ends: (() => void)[] = [];
    const sandbox = sandboxOf(() => new Promise((resolve) => ends.push(() => resolve({}))));
    const { executor } = executorOf(() => Promise.resolve({}), {
      languages: [{ ...typescript, sandbox }],
      queue: { maxConcurrent: 1 },
    });
    const both = [executor.execute({ code: 'x' }), executor.execute({ code: 'x' })];
    const closed = executor.close({ drainMs: 60_000 });
    expect(await executor.execute({ code: 'x' })).toMatchObject({
      errorCode: 'unavailable',
      retryAfterMs: 30_000,
    });
    while (ends.length === 0) await new Promise(setImmediate);
    ends.pop()?.();
    await both[0];
    expect(sandbox.isClosed).toBe(false);
    while (ends.length === 0) await new Promise(setImmediate);
    ends.pop()?.();
    await closed;
    expect((await Promise.all(both)).map((report) => report.status)).toEqual(['succeeded', 'succeeded']);
    expect(sandbox.isClosed).toBe(true);
  });

  test.each([
    ['when its time is over', (executor: Executor) => executor.close({ drainMs: 20 })],
    [
      'when somebody else closes at once',
      async (executor: Executor) => {
        const draining = executor.close({ drainMs: 60_000 });
        await executor.close();
        await draining;
      },
    ],
  ])('close({ drainMs }) cancels what is left %s', async (_when, close) => {
    const { executor } = executorOf(({ signal }) => untilCancelled(signal));
    const running = executor.execute({ code: 'x' });
    await close(executor);
    expect((await running).status).toBe('cancelled');
  });

  test('close() cancels executions that run and wait, closes the sandboxes and refuses more', async () => {
    const sandbox = sandboxOf(({ signal }) => untilCancelled(signal));
    const { executor } = executorOf(() => Promise.resolve({}), {
      languages: [{ ...typescript, sandbox }],
      queue: { maxConcurrent: 1 },
    });
    const both = [executor.execute({ code: 'x' }), executor.execute({ code: 'x' })];
    await executor.close();
    expect((await Promise.all(both)).map((report) => report.status)).toEqual(['cancelled', 'cancelled']);
    expect(sandbox.isClosed).toBe(true);
    expect(await executor.execute({ code: 'x' })).toMatchObject({ errorCode: 'unavailable' });
  });

  test('status() asks the sandboxes', async () => {
    const { executor } = executorOf(() => Promise.resolve({}));
    expect(await executor.status()).toEqual([{ language: 'typescript', isolation: 'portable' }]);
  });

  describe('with two languages', () => {
    const runOf = (result: Partial<ExecutionResult>) => () => Promise.resolve(result);
    const broken = () => Promise.reject(new Error('broken at /home/me'));

    test('runs each program in the sandbox of its language', async () => {
      const { executor } = executorOf(runOf({}), {
        languages: [runs(runOf({ value: 'ts' })), runs(runOf({ value: 'py' }), python)],
      });
      expect((await executor.execute({ code: 'x' })).result).toBe('ts');
      expect((await executor.execute({ code: 'x' }, { language: 'python' })).result).toBe('py');
    });

    test('runs one of them if the sandbox of the other is broken', async () => {
      const brokenSandbox = { language: 'python', execute: broken, status: broken, close: broken };
      const sandbox = sandboxOf(runOf({ value: 'ts' }));
      const { executor } = executorOf(runOf({}), {
        languages: [
          { ...python, sandbox: brokenSandbox },
          { ...typescript, sandbox },
        ],
      });
      expect(await executor.execute({ code: 'x' }, { language: 'python' })).toMatchObject({
        success: false,
        errorCode: 'internal',
      });
      expect((await executor.execute({ code: 'x' })).result).toBe('ts');
      const [first, second] = await executor.status();
      expect(first).toEqual({ language: 'python', note: expect.any(String) as unknown });
      expect(first?.note).not.toContain('/home/me');
      expect(second).toEqual({ language: 'typescript', isolation: 'portable' });
      await expect(executor.close()).rejects.toMatchObject({ code: 'internal' });
      expect(sandbox.isClosed).toBe(true);
    });

    test('refuses files for Python before it looks at the grants', async () => {
      let hasRun = false;
      const { executor } = executorOf(runOf({}), {
        languages: [runs(() => Promise.resolve({ value: (hasRun = true) }), python)],
        grants: { allowRead: ['/'], allowWrite: true },
      });
      const refused = await executor.execute(
        { code: 'x', permissions: { read: ['/tmp'] } },
        { language: 'python' },
      );
      expect(refused).toMatchObject({
        errorCode: 'invalid_argument',
        error: expect.stringContaining('Parameter permissions.read is a list of 1;') as unknown,
      });
      expect(hasRun).toBe(false);
    });

    test('applies the limit of one language to that language alone', async () => {
      const executor = createExecutor({
        tools: tools(),
        languages: [
          runs(runOf({})),
          runs(({ signal }) => untilCancelled(signal), { ...python, maxConcurrent: 1 }),
        ],
      });
      const both = [1, 2].map(() => executor.execute({ code: 'x' }, { language: 'python' }));
      expect(executor.stats).toMatchObject({ running: 1, waiting: 1, max: 16 });
      expect((await executor.execute({ code: 'x' })).success).toBe(true);
      expect(executor.stats).toMatchObject({ running: 1, waiting: 1, max: 16 });
      await executor.close();
      expect((await Promise.all(both)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    });
  });
});
