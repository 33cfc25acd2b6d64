import { beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeProgram } from '@code-executor/contracts/testing';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { client, connect, call, eras, useEra } from './connected-client.test.support.js';

describe.each(eras)('createServer in the %s era', (era) => {
  beforeEach(() => useEra(era));

  test('answers a success with structured content, the same as text, and then the pictures', async () => {
    const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    await connect(() => Promise.resolve({ stdout: 'out', value: [1, { a: null }], content: [picture] }));
    const { isError, content, structuredContent } = await call('executeTypescript', { code: 'x' });
    expect(isError).toBe(false);
    expect(content.slice(1)).toEqual([picture]);
    expect(structuredContent).toMatchObject({
      success: true,
      output: 'out',
      result: [1, { a: null }],
      images: [{ mimeType: 'image/png', bytes: 3 }],
    });
    expect(structuredContent).not.toHaveProperty('content');
  });

  test('answers Codex with pictures instead of structured content, because it would show only that', async () => {
    const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const program: FakeProgram = ({ code }) =>
      Promise.resolve(code === 'shows' ? { content: [picture] } : { value: 1 });
    await connect(program, [], 'codex-mcp-client');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.outputSchema)).toEqual([undefined, undefined, undefined]);
    const run = (code: string) => client.callTool({ name: 'executeTypescript', arguments: { code } });
    const shown = await run('shows');
    expect(shown).not.toHaveProperty('structuredContent');
    expect(shown.content).toEqual([
      {
        type: 'text',
        text: expect.stringContaining('"images":[{"mimeType":"image/png","bytes":3}]') as unknown,
      },
      picture,
    ]);
    expect((await run('returns')).structuredContent).toMatchObject({ success: true, result: 1 });
  });

  test('answers with the pictures that a program returns as image blocks', async () => {
    const picture = { type: 'image', data: '/9j/', mimeType: 'image/jpeg' };
    await connect(() => Promise.resolve({ value: [picture] }));
    const { content, structuredContent } = await call('executeTypescript', { code: 'x' });
    expect(content.slice(1)).toEqual([picture]);
    expect(structuredContent).toMatchObject({
      result: [{ type: 'image', mimeType: 'image/jpeg', bytes: 3 }],
      images: [{ mimeType: 'image/jpeg', bytes: 3 }],
    });
  });

  test('answers with every field that a report can have', async () => {
    await connect(async ({ tools }) => {
      await tools.callTool('mcp__test__echo', { text: 'a' });
      await tools.callTool('mcp__other__tool', {}).catch(() => undefined);
      const error = { code: 'user_error' as const, message: 'Error: boom' };
      return { status: 'failed', stderr: 'err', value: 1, valueNote: 'cut', truncated: true, error };
    });
    const { isError, structuredContent, meta } = await call('executeTypescript', {
      code: 'x',
      allowedTools: ['*'],
    });
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      success: false,
      status: 'failed',
      stderr: 'err',
      resultNote: 'cut',
      error: 'Error: boom',
      errorCode: 'user_error',
      truncated: true,
      toolCallsMade: ['mcp__test__echo'],
      toolCallSummary: [
        { toolName: 'mcp__test__echo', callCount: 1 },
        {
          toolName: 'mcp__other__tool',
          callCount: 1,
          totalDurationMs: 0,
          errorCount: 1,
          lastErrorMessage: expect.stringContaining('does not exist') as unknown,
        },
      ],
    });
    // Each field of each tool is for programs, not for a model.
    expect(meta).toEqual({
      'code-executor/toolCalls': [
        expect.objectContaining({ toolName: 'mcp__test__echo', successCount: 1, lastCallStatus: 'success' }),
        expect.objectContaining({ toolName: 'mcp__other__tool', successCount: 0, averageDurationMs: 0 }),
      ],
    });
  });

  test('answers a small value with at most 45 tokens, and nothing in `_meta`', async () => {
    await connect(() => Promise.resolve({ value: 1, durationMs: 1234 }));
    for (const name of ['executeTypescript', 'executePython']) {
      const { content, meta } = await call(name, { code: 'x' });
      expect(encode(content[0]?.text ?? '').length).toBeLessThanOrEqual(45);
      expect(meta).toBeUndefined();
    }
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{}, /^Parameter code is missing; it must be text of 1 to 100000 characters/],
    [{ code: '' }, /^Parameter code is "" \(text, 0 characters\); it must be text of 1 to 100000/],
    [{ code: 'x'.repeat(100_001) }, /\(text, 100001 characters\); it must be text of 1 to 100000/],
    [{ code: 42 }, /^Parameter code is 42 \(number\)/],
    [{ code: ['x'] }, /^Parameter code is a list of 1/],
    [{ code: 'x', timeoutMs: 999 }, /^Parameter timeoutMs is 999 \(number\); .* from 1000 to 300000\.$/],
    [{ code: 'x', timeoutMs: 'soon' }, /^Parameter timeoutMs is "soon"/],
    [{ code: 'x', allowedTools: 'mcp__a__b' }, /^Parameter allowedTools is "mcp__a__b"/],
    [{ code: 'x', permissions: { read: '/' } }, /^Parameter permissions\.read is "\/"/],
    [{ code: 'x', language: 'python' }, /^Unknown parameter "language"; known are code, allowedTools/],
  ])('answers the bad input %# with our own error', async (args, message) => {
    let hasRun = false;
    await connect(() => Promise.resolve({ value: (hasRun = true) }));
    const { isError, structuredContent } = await call('executeTypescript', args);
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      success: false,
      status: 'failed',
      errorCode: 'invalid_argument',
      error: expect.stringMatching(message) as unknown,
    });
    expect(hasRun).toBe(false);
  });
});
