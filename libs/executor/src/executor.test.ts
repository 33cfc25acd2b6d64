import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';

import { describe, expect, test } from '@jest/globals';
import {
  type AuditRecord,
  CodeExecutorError,
  type ExecutionRequest,
  type ExecutionResult,
  silentLogger,
  type ToolSource,
} from '@code-executor/contracts';
import { type FakeProgram, fakeSandbox, fakeToolSource, heldSource } from '@code-executor/contracts/testing';

import type { Executor, ExecutorOptions } from './executor.js';
import type { ExecuteRequest } from './execute-parameters.js';
import type { ExecutionLanguage, RunnableLanguage } from './languages/execution-language.js';
import { python } from './languages/python.js';
import { typescript } from './languages/typescript.js';
import { createExecutor } from './queued-executor.js';

const sandboxOf = (program: FakeProgram, language = typescript.name) =>
  fakeSandbox(async (request) => ({ durationMs: 4.6, ...(await program(request)) }), { language });

/** A language whose programs are functions. */
function runs(program: FakeProgram, language: ExecutionLanguage = typescript): RunnableLanguage {
  return { ...language, sandbox: sandboxOf(program, language.name) };
}

const tools = () =>
  fakeToolSource({
    mcp__test__echo: (args) => ({ text: args['text'] }),
    mcp__test__fail: () => {
      throw new Error('it failed');
    },
  });

function executorOf(program: FakeProgram, options: Partial<ExecutorOptions> = {}) {
  const events: AuditRecord[] = [];
  const executor = createExecutor({
    tools: tools(),
    languages: [runs(program)],
    audit: (event) => void events.push(event),
    ...options,
  });
  return { executor, executions: () => events.filter((event) => event.type === 'execution') };
}

/** Resolves when the signal fires, as a sandbox does. */
async function untilCancelled(signal: AbortSignal | undefined): Promise<Partial<ExecutionResult>> {
  if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  return { status: 'cancelled', error: { code: 'cancelled', message: 'Cancelled.' } };
}

describe('createExecutor', () => {
  test('reports a success with exactly the fields that apply', async () => {
    const { executor } = executorOf(() => Promise.resolve({ stdout: 'out\n', value: { a: 1 } }));
    const report = await executor.execute({ code: 'x' });
    expect(report).toEqual({
      success: true,
      status: 'succeeded',
      executionId: expect.stringMatching(/^exec_\d{20}$/) as unknown,
      output: 'out\n',
      result: { a: 1 },
      truncated: false,
      executionTimeMs: 5,
      isolation: 'portable',
      toolCallsMade: [],
      toolCallSummary: [],
    });
  });

  test('reports failure, notes, stderr and pictures', async () => {
    const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const { executor } = executorOf(() =>
      Promise.resolve({
        status: 'failed',
        stderr: 'err',
        value: null,
        valueNote: 'It was cut.',
        truncated: true,
        content: [picture, { type: 'text', text: 'not a picture' }],
        error: { code: 'user_error', message: 'Error: boom' },
      }),
    );
    expect(await executor.execute({ code: 'x' })).toMatchObject({
      success: false,
      status: 'failed',
      stderr: 'err',
      result: null,
      resultNote: 'It was cut.',
      truncated: true,
      images: [{ mimeType: 'image/png', bytes: 3 }],
      content: [picture],
      error: 'Error: boom',
      errorCode: 'user_error',
    });
  });

  test.each([
    { ...typescript, advice: 'return <value>' },
    { ...python, advice: 'the last line' },
  ])('explains how to give a value if a program in $title had no output', async ({ advice, ...language }) => {
    const silent = executorOf(() => Promise.resolve({}), {
      languages: [runs(() => Promise.resolve({}), language)],
    });
    const report = await silent.executor.execute({ code: 'x' }, { language: language.name });
    expect(report).not.toHaveProperty('result');
    expect(report.resultNote).toContain(advice);
  });

  test.each<Partial<ExecutionResult>>([
    { value: null },
    { stdout: 'printed\n' },
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    { status: 'failed', error: { code: 'user_error', message: 'Error: boom' } },
  ])('does not explain that if a program ends with %j', async (result) => {
    const { executor } = executorOf(() => Promise.resolve(result));
    expect(await executor.execute({ code: 'x' })).not.toHaveProperty('resultNote');
  });

  test('takes off a code fence around the program', async () => {
    let seen: string | undefined;
    const { executor } = executorOf(({ code }) => {
      seen = code;
      return Promise.resolve({ value: 1 });
    });
    await executor.execute({ code: '```ts\nreturn 1\n```\n' });
    expect(seen).toBe('return 1');
  });

  test('moves the pictures that a program returns out of its value', async () => {
    const picture = { type: 'image', data: '/9j/', mimeType: 'image/jpeg' };
    const { executor } = executorOf(() =>
      Promise.resolve({ value: [{ ...picture, annotations: 7 }, 'text'], content: [picture] }),
    );
    expect(await executor.execute({ code: 'x' })).toMatchObject({
      result: [{ type: 'image', mimeType: 'image/jpeg', bytes: 3 }, 'text'],
      images: [
        { mimeType: 'image/jpeg', bytes: 3 },
        { mimeType: 'image/jpeg', bytes: 3 },
      ],
      content: [picture, picture],
    });
  });

  test('sends the first 16 pictures and leaves others in the value', async () => {
    const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
    const { executor } = executorOf(() =>
      Promise.resolve({ value: [picture, picture], content: Array.from({ length: 15 }, () => picture) }),
    );
    const report = await executor.execute({ code: 'x' });
    expect(report.content).toEqual(Array.from({ length: 16 }, () => picture));
    expect(report.result).toEqual([{ type: 'image', mimeType: 'image/png', bytes: 8 }, picture]);
    const { executor: other } = executorOf(() =>
      Promise.resolve({ value: picture, content: Array.from({ length: 17 }, () => picture) }),
    );
    expect(await other.execute({ code: 'x' })).toMatchObject({
      content: Array.from({ length: 16 }, () => picture),
      result: picture,
    });
  });

  test('closes what was granted when the program has ended, and when it fails', async () => {
    for (const outcome of [Promise.resolve({}), Promise.reject(new Error('broken'))]) {
      outcome.catch(() => undefined);
      let handles: { fd: number }[] = [];
      const { executor } = executorOf(
        ({ permissions }) => {
          handles = [...permissions.read, ...permissions.write].map(({ handle }) => handle);
          expect(handles.map(({ fd }) => fd > 2)).toEqual([true]);
          return outcome;
        },
        { grants: { allowRead: [tmpdir()] } },
      );
      await executor.execute({ code: 'x', permissions: { read: [tmpdir()] } });
      expect(handles.map(({ fd }) => fd)).toEqual([-1]);
      await executor.close();
    }
  });

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

  test('passes the checked and completed request to the sandbox', async () => {
    let seen: ExecutionRequest | undefined;
    const fetcher = { fetch: () => Promise.reject(new Error('unused')) };
    const { executor } = executorOf(
      (request) => {
        seen = request;
        return Promise.resolve({});
      },
      { fetcher, grants: { allowNetwork: ['*.example.com'] }, limits: { defaultTimeoutMs: 2000 } },
    );
    const report = await executor.execute({
      code: 'the code',
      permissions: { net: ['api.example.com', 'evil.org'], read: ['/etc'] },
    });
    expect(seen).toMatchObject({
      code: 'the code',
      timeoutMs: 2000,
      fetcher,
      permissions: { read: [], write: [], net: ['api.example.com'] },
    });
    expect(report.stderr).toBe(
      'permissions.read "/etc" is outside security.allowRead and was not granted.\n' +
        'permissions.net "evil.org" is outside security.allowNetwork and was not granted.\n',
    );
  });

  test('lets code call only the tools in allowedTools, and summarizes the calls', async () => {
    const { executor } = executorOf(async ({ tools: source }) => {
      await source.callTool('mcp__test__echo', { text: 'a' });
      await source.callTool('mcp__test__echo', { text: 'b' });
      return source.callTool('mcp__test__fail', {}).then(
        () => ({ value: 'called' }),
        (reason: unknown) => ({ value: CodeExecutorError.from(reason).code }),
      );
    });
    const report = await executor.execute({ code: 'x', allowedTools: ['mcp__test__e*'] });
    expect(report).toMatchObject({ result: 'permission_denied', toolCallsMade: ['mcp__test__echo'] });
    expect(report.toolCallSummary).toMatchObject([
      { toolName: 'mcp__test__echo', callCount: 2, successCount: 2 },
    ]);
    const without = await executor.execute({ code: 'x' });
    expect(without).toMatchObject({ success: false, errorCode: 'permission_denied', toolCallsMade: [] });
  });

  test('names each server that could not be listed once', async () => {
    const failed = { server: 'broken', reason: 'it speaks\ngarbage.', fix: 'Check its command.' };
    const source: ToolSource = {
      ...tools(),
      listTools: () => Promise.resolve({ tools: [], failedServers: [failed] }),
    };
    const { executor } = executorOf(
      async (request) => {
        await request.tools.listTools();
        return { stderr: 'mine' };
      },
      { tools: source },
    );
    const report = await executor.execute({ code: 'x' });
    expect(report).toMatchObject({ stderr: 'mine', unavailableServers: [failed] });
  });

  test.each<[unknown, RegExp]>([
    [undefined, /parameters are of type undefined/],
    [{}, /Parameter code is missing/],
    [{ code: 'x', timeoutMs: 1 }, /Parameter timeoutMs is 1 \(number\); .* from 1000 to 300000\./],
    [{ code: 'x', nonsense: 1 }, /Unknown parameter "nonsense"/],
  ])('reports the bad input %j and runs nothing', async (request, message) => {
    let hasRun = false;
    const { executor, executions } = executorOf(() => Promise.resolve({ value: (hasRun = true) }));
    const report = await executor.execute(request as ExecuteRequest);
    expect(report).toEqual({
      success: false,
      status: 'failed',
      executionId: report.executionId,
      output: '',
      truncated: false,
      error: expect.stringMatching(message) as unknown,
      errorCode: 'invalid_argument',
      executionTimeMs: 0,
      toolCallsMade: [],
      toolCallSummary: [],
    });
    expect(hasRun).toBe(false);
    expect(executions()).toMatchObject([{ status: 'rejected', errorCode: 'invalid_argument' }]);
  });

  test('reports a fault of the host, with the calls made before it and without its secrets', async () => {
    const { executor } = executorOf(async (request) => {
      await request.tools.callTool('mcp__test__echo', { text: 'a' });
      throw new Error('password=hunter2');
    });
    const report = await executor.execute({ code: 'x', allowedTools: ['*'] });
    expect(report).toMatchObject({
      status: 'failed',
      errorCode: 'internal',
      executionTimeMs: 0,
      toolCallsMade: ['mcp__test__echo'],
    });
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  test('reports a language without a sandbox', async () => {
    const { executor } = executorOf(() => Promise.resolve({}));
    expect(await executor.execute({ code: 'x' }, { language: 'python' })).toMatchObject({
      success: false,
      errorCode: 'failed_precondition',
      error: expect.stringContaining('executors.python') as unknown,
    });
  });

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
