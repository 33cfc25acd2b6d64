import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import { type AuditRecord, CodeExecutorError, silentLogger } from '@code-executor/contracts';
import { tools, executorOf, untilCancelled } from './executor-of.test.support.js';

describe('createExecutor', () => {
  test('logs what is wrong with this machine, but not what is wrong with a request', async () => {
    const logged: unknown[] = [];
    const logger = { ...silentLogger, error: (...entry: unknown[]) => logged.push(entry) };
    const { executor } = executorOf(() => Promise.resolve({}), { logger });
    await executor.execute({ code: '' });
    expect(logged).toEqual([]);
    const { executionId, error } = await executor.execute({ code: 'x' }, { language: 'python' });
    expect(logged).toEqual([
      [{ executionId, err: expect.objectContaining({ code: 'failed_precondition' }) as unknown }, error],
    ]);
  });

  test('writes one audit record per execution, with the hash of the code and not the code', async () => {
    const { executor, executions } = executorOf(({ code }) =>
      Promise.resolve(
        code === 'good'
          ? { startupMs: 3 }
          : { status: 'failed', error: { code: 'user_error', message: 'Error: secret value' } },
      ),
    );
    const good = await executor.execute({ code: 'good' });
    const bad = await executor.execute({ code: 'bad' });
    const hash = (code: string) => createHash('sha256').update(code).digest('hex');
    expect(executions()).toEqual([
      {
        type: 'execution',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        clientId: 'embedder',
        clientKind: 'embedder',
        executionId: good.executionId,
        correlationId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
        language: 'typescript',
        status: 'success',
        isolation: 'portable',
        queuedMs: expect.any(Number) as unknown,
        startupMs: 3,
        resultBytes: 0,
        returnedBytes: Buffer.byteLength(JSON.stringify(good)),
        durationMs: 5,
        codeHash: hash('good'),
        codeLength: 4,
      },
      expect.objectContaining({
        executionId: bad.executionId,
        status: 'failure',
        codeHash: hash('bad'),
      }) as unknown,
    ]);
    expect(JSON.stringify(executions())).not.toContain('secret value');
  });

  test('keeps the text of the program in its records if that is wanted', async () => {
    const { executor, executions } = executorOf(() => Promise.resolve({}), { recordsCode: true });
    await executor.execute({ code: 'return 1' });
    await executor.execute({ code: '' });
    expect(executions().map(({ code }) => code)).toEqual(['return 1', '']);
  });

  test('marks all records of one execution with the trace and the client of its request', async () => {
    const events: AuditRecord[] = [];
    const { executor } = executorOf(
      async ({ tools: source }) => {
        await source.callTool('mcp__test__echo', { text: 'hi' });
        await source.callTool('mcp__test__fail', {}).catch(() => undefined);
        return {};
      },
      { audit: (event) => void events.push(event) },
    );
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await executor.execute(
      { code: 'x', allowedTools: ['mcp__test__echo'] },
      { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, caller: { id: 'ci', kind: 'http' } },
    );
    expect(
      events.map(({ type, correlationId, clientId, clientKind }) => ({
        type,
        correlationId,
        clientId,
        clientKind,
      })),
    ).toEqual(
      ['tool_call', 'denial', 'execution'].map((type) => ({
        type,
        correlationId: traceId,
        clientId: 'ci',
        clientKind: 'http',
      })),
    );
    expect(events.at(-1)).toMatchObject({
      allowedTools: ['mcp__test__echo'],
      toolsCalled: ['mcp__test__echo'],
      resultBytes: events[0]?.resultBytes,
    });
    expect(events[0]?.resultBytes).toBeGreaterThan(0);
  });

  test('does not run a program that is not admitted, and reports why', async () => {
    const started: AuditRecord[] = [];
    let ran = 0;
    const { executor, executions } = executorOf(
      () => {
        ran++;
        return Promise.resolve({});
      },
      {
        admit: (event) => {
          started.push(event);
          if (started.length > 1) throw new CodeExecutorError('failed_precondition', 'The disk is full.');
        },
      },
    );
    const good = await executor.execute({ code: 'x', allowedTools: ['a'] });
    const refused = await executor.execute({ code: 'x' });
    expect(refused).toMatchObject({ errorCode: 'failed_precondition', error: 'The disk is full.' });
    expect(ran).toBe(1);
    expect(started[0]).toEqual({
      type: 'execution',
      action: 'started',
      timestamp: expect.stringMatching(/Z$/) as unknown,
      clientId: 'embedder',
      clientKind: 'embedder',
      executionId: good.executionId,
      correlationId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      language: 'typescript',
      status: 'success',
      codeHash: createHash('sha256').update('x').digest('hex'),
      codeLength: 1,
      allowedTools: ['a'],
    });
    expect(executions().map(({ status }) => status)).toEqual(['success', 'rejected']);
  });

  test.each(['succeeds', 'is cancelled'])(
    'has on record how often a program that %s asked and called in vain, before its own end',
    async (how) => {
      const events: AuditRecord[] = [];
      const caller = new AbortController();
      const { executor } = executorOf(
        async ({ tools: source, signal }) => {
          // One runs, and the others wait for its place until the end.
          const waiting = Array.from({ length: 150 }, () =>
            source.callTool('mcp__test__echo', { text: 'a' }),
          );
          void Promise.allSettled(waiting);
          for (let i = 0; i < 130; i++) {
            await source.listTools({ query: 'echo' });
            await source.callTool('mcp__test__fail', {}).catch(() => undefined);
          }
          if (how === 'succeeds') return {};
          caller.abort();
          return untilCancelled(signal);
        },
        {
          tools: { ...tools(), callTool: () => new Promise(() => undefined) },
          budget: { maxConcurrent: 1 },
          audit: (event) => void events.push(event),
        },
      );
      const allowedTools = ['mcp__test__echo'];
      await executor.execute({ code: 'eval(1)', allowedTools }, { signal: caller.signal });
      const omitted = events.filter(({ action }) => action === 'omitted');
      expect(omitted.map(({ type, errorCode, count }) => [type, errorCode, count])).toEqual([
        ['discovery', undefined, 30],
        ['denial', 'permission_denied', 30],
        ['tool_call', 'cancelled', 49],
      ]);
      const { executionId, correlationId, type, patterns } = events.at(-1) ?? {};
      expect([type, patterns]).toEqual(['execution', ['eval']]);
      for (const event of events) expect(event).toMatchObject({ executionId, correlationId });
    },
  );

  test('does not run a program that was cancelled while its start was recorded', async () => {
    const caller = new AbortController();
    let ran = 0;
    const { executor, executions } = executorOf(
      () => {
        ran++;
        return Promise.resolve({});
      },
      { admit: () => caller.abort() },
    );
    const report = await executor.execute({ code: 'x' }, { signal: caller.signal });
    expect(report).toMatchObject({ status: 'cancelled', errorCode: 'cancelled' });
    expect(ran).toBe(0);
    expect(executions()).toMatchObject([{ status: 'rejected', errorCode: 'cancelled' }]);
  });

  test('survives an audit sink that fails', async () => {
    const { executor } = executorOf(() => Promise.resolve({}), {
      audit: () => Promise.reject(new Error('disk full')),
    });
    expect((await executor.execute({ code: 'x' })).success).toBe(true);
  });
});
