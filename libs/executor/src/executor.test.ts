import { tmpdir } from 'node:os';

import { describe, expect, test } from '@jest/globals';
import {
  CodeExecutorError,
  type ExecutionRequest,
  type ExecutionResult,
  type ToolSource,
} from '@code-executor/contracts';
import type { ExecuteRequest } from './execute-parameters.js';
import { python } from './languages/python.js';
import { typescript } from './languages/typescript.js';
import { runs, tools, executorOf } from './executor-of.test.support.js';

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
});
