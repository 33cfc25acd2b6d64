import { afterAll, describe, expect, test } from '@jest/globals';

import { CodeExecutorError, noPermissions, type ToolSource } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';

import { DenoSandbox } from './deno-sandbox.js';

describe('The globals of a program', () => {
  const sandbox = new DenoSandbox();
  afterAll(() => sandbox.close());

  const tools = fakeToolSource(
    {
      mcp__github__create_issue: (args) => args,
      mcp__files__read: () => 'plain text',
      mcp__files__list: () => ['a', 'b'],
      mcp__files__picture: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
      mcp__files__broken: () => ({ content: [], isError: true }),
      mcp__files__denied: () => {
        throw new CodeExecutorError('permission_denied', 'Not for you.', {
          tool: 'mcp__files__denied',
          server: 'files',
        });
      },
      mcp__files__busy: () => {
        throw new CodeExecutorError('unavailable', 'Later.', { retryAfterMs: 30_000 });
      },
      mcp__files__deep: () => ({ content: [], structuredContent: nest(20_000) }),
      mcp__files__huge: () => 'x'.repeat(17 * 1024 * 1024),
    },
    { mcp__github__create_issue: { description: 'Create an issue', outputSchema: { type: 'object' } } },
  );
  const run = async (code: string, source: ToolSource = tools) => {
    const result = await sandbox.execute({
      code,
      timeoutMs: 20_000,
      permissions: noPermissions,
      tools: source,
    });
    if (result.error) throw new Error(result.error.message);
    return result.value;
  };
  const caught = (call: string) =>
    run(
      `try { await ${call} } catch (e) { return { name: e.name, code: e.code, message: e.message, tool: e.tool, server: e.server, retryAfterMs: e.retryAfterMs, isToolError: e instanceof McpToolError } }`,
    );

  test.each<[text: string, value: unknown]>([
    ['{"a":[1,2]}', { a: [1, 2] }],
    [' 7\n', 7],
    ['null', null],
    ['"quoted"', 'quoted'],
    ['', ''],
    ['{broken', '{broken'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.10', '1.10'],
  ])('parse text that is JSON, and keep other text as it is: %j', async (text, value) => {
    expect(
      await run(`return await callMCPTool('mcp__text__get')`, fakeToolSource({ mcp__text__get: () => text })),
    ).toEqual(value);
  });

  test('receive several large answers at once in full, with small ones between them', async () => {
    const code = `const text = 'aé€😀';
const times = [80_000, 1, 30_000, 26_214, 2, 90_000, 3];
const answers = await Promise.all(times.map((n) => callMCPTool('mcp__text__repeat', { times: n })));
return answers.map((answer, at) => answer === text.repeat(times[at]!));`;
    const source = fakeToolSource({ mcp__text__repeat: ({ times }) => 'aé€😀'.repeat(Number(times)) });
    expect(await run(code, source)).toEqual(Array(7).fill(true));
  });

  test('queue many large calls, and still answer small ones', async () => {
    const code = `const text = 'x'.repeat(900_000);
const large = Array.from({ length: 30 }, (_, id) => callMCPTool('mcp__text__length', { id, text }));
const small = Array.from({ length: 30 }, (_, id) => callMCPTool('mcp__text__length', { id: 30 + id, text: 'x' }));
return Promise.all([...large, ...small]);`;
    const source = fakeToolSource({
      mcp__text__length: ({ id, text }) => [Number(id), (text as string).length],
    });
    const answers = Array.from({ length: 60 }, (_, id) => [id, id < 30 ? 900_000 : 1]);
    expect(await run(code, source)).toEqual(answers);
  });

  test('refuse arguments with too many parts, and say how much they would take', async () => {
    expect(await caught('callMCPTool("mcp__files__read", { list: Array(200_000).fill({}) })')).toMatchObject({
      name: 'McpToolError',
      code: 'invalid_argument',
      message:
        'The arguments have too many parts for one call: they would take 15000943 bytes of memory, but at most 6291456 are allowed. Send fewer of them at a time.',
    });
  });

  test('callMCPTool() returns plain values, and keeps content that is not text', async () => {
    expect(await run('return await callMCPTool("mcp__files__read")')).toBe('plain text');
    expect(await run('return await callMCPTool("mcp__files__list", {})')).toEqual(['a', 'b']);
    expect(await run('return await callMCPTool("mcp__files__picture", {})')).toEqual([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ]);
    expect(
      await run('return await callMCPTool("mcp__github__create_issue", { title: "ü\\u2028", n: [1, null] })'),
    ).toEqual({
      title: 'ü\u2028',
      n: [1, null],
    });
  });

  test('callMCPTool() with raw returns the whole result, even of a tool that failed', async () => {
    expect(await run('return await callMCPTool("mcp__files__broken", {}, { raw: true })')).toEqual({
      content: [],
      isError: true,
    });
  });

  test('throw errors with code, tool, server and retryAfterMs', async () => {
    expect(await caught('callMCPTool("mcp__files__broken")')).toEqual({
      name: 'McpToolError',
      code: 'tool_error',
      message: 'The tool failed and gave no reason.',
      tool: 'mcp__files__broken',
      server: 'files',
      isToolError: true,
    });
    expect(await caught('callMCPTool("mcp__files__denied")')).toMatchObject({
      name: 'ToolNotAllowedError',
      code: 'permission_denied',
      server: 'files',
      isToolError: true,
    });
    expect(await caught('callMCPTool("mcp__files__busy")')).toMatchObject({
      code: 'unavailable',
      retryAfterMs: 30_000,
    });
  });

  test.each([
    ['callMCPTool()', 'takes the name of a tool'],
    ['callMCPTool(["mcp__files__read"] as any)', 'takes the name of a tool'],
    ['callMCPTool("mcp__files__read", [] as any)', 'arguments of mcp__files__read must be one object'],
    ['callMCPTool("mcp__files__read", null as any)', 'arguments of mcp__files__read must be one object'],
    ['callMCPTool("mcp__files__read", { x: "x".repeat(2e6) })', 'bytes of JSON'],
    ['searchTools("x", -1)', 'whole number'],
    ['searchTools(5 as any)', 'query as a string'],
    ['searchTools("x", { details: "full" } as any)', 'none named details'],
    ['discoverMCPTools("x" as any)', 'takes { search'],
    ['discoverMCPTools({ searhc: [] } as any)', 'takes { search'],
    ['callMCPTool("mcp__files__read", {}, { timeoutMs: 5 } as any)', 'none named timeoutMs'],
  ])('%s throws a clear error', async (call, text) => {
    expect(await caught(call)).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(text) as unknown,
    });
  });

  test.each(['mcp__files__deep', 'mcp__files__huge'])(
    'refuse the answer of %s, and keep working',
    async (tool) => {
      expect(await caught(`callMCPTool("${tool}")`)).toMatchObject({ code: 'resource_exhausted' });
    },
  );

  test('discoverMCPTools() lists schemas of tools that match any of the words, as a plain array', async () => {
    const all = await run('return await discoverMCPTools()');
    expect(all).toHaveLength(9);
    const found = await run('return await discoverMCPTools({ search: ["ISSUE", "zebra"] })');
    expect(found).toEqual([
      {
        name: 'mcp__github__create_issue',
        server: 'github',
        description: 'Create an issue',
        parameters: { type: 'object' },
        outputSchema: { type: 'object' },
      },
    ]);
  });

  test('getToolSchema() returns a schema or null', async () => {
    expect(await run('return await getToolSchema("mcp__files__read")')).toMatchObject({
      name: 'mcp__files__read',
    });
    expect(await run('return [await getToolSchema("mcp__nope__x"), await getToolSchema(5 as any)]')).toEqual([
      null,
      null,
    ]);
  });

  test('searchTools() returns at most the limit, which is 10 by default', async () => {
    expect(await run('return (await searchTools("files")).length')).toBe(8);
    expect(await run('return (await searchTools("files github", 2)).length')).toBe(2);
  });

  test('searchTools() asks for brief entries, and accepts options in place of the limit or after it', async () => {
    const asked: unknown[] = [];
    const source: ToolSource = {
      ...tools,
      listTools(options = {}) {
        const { signal, ...others } = options;
        asked.push({ ...others, isBound: signal !== undefined });
        return tools.listTools(options);
      },
    };
    await run(
      `await searchTools("a");
       await searchTools("a", { detail: "full", server: "files" });
       await searchTools("a", 3, { detail: "full", offset: 1 });`,
      source,
    );
    expect(asked).toEqual([
      { query: 'a', limit: 10, detail: 'brief', isBound: true },
      { query: 'a', limit: 10, detail: 'full', server: 'files', isBound: true },
      { query: 'a', limit: 3, detail: 'full', offset: 1, isBound: true },
    ]);
  });

  test('are frozen', async () => {
    const code = `const names = ['callMCPTool', 'discoverMCPTools', 'getToolSchema', 'getToolTypes', 'searchTools', 'display', 'fetch'];
return names.map((name) => {
  try { (globalThis as any)[name] = 1 } catch { /* expected */ }
  try { Object.defineProperty(globalThis, name, { value: 1 }) } catch { /* expected */ }
  return typeof (globalThis as any)[name] === 'function' && Object.isFrozen((globalThis as any)[name]);
})`;
    expect(await run(code)).toEqual([true, true, true, true, true, true, true]);
  });
});

function nest(levels: number): never {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { value };
  return value as never;
}
