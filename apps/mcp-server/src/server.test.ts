import { languageNames } from '@code-executor/config';
import { afterEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@code-executor/contracts';
import type { PoolStats } from '@code-executor/client-pool';
import { type FakeProgram, fakeSandbox, fakeToolSource } from '@code-executor/contracts/testing';
import { measureHealth } from '@code-executor/host';
import { createExecutor, python, typescript } from '@code-executor/executor';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { instructionsFor } from './instructions.js';
import { introductions } from './introductions.js';
import { createServer } from './server.js';
import { executionTool } from './toolsets/core/execution-tool.js';
import { healthTool } from './toolsets/core/health.js';

const languages = { typescript, python };

const sandboxOf = (language: string, program: FakeProgram) =>
  fakeSandbox(async (request) => ({ durationMs: 5, ...(await program(request)) }), {
    language,
    status: {
      isolation: 'portable',
      note: 'bubblewrap is missing.',
      spares: { ready: 4, memoryMb: 300 },
    },
  });

describe('createServer', () => {
  let client: Client;
  afterEach(() => client.close());

  /** The server with all its tools, over sandboxes in memory, and the SDK's client connected to it. */
  async function connect(
    program: FakeProgram = () => Promise.resolve({}),
    warnings: string[] = [],
    clientName = 'test',
  ) {
    const executor = createExecutor({
      tools: fakeToolSource({ mcp__test__echo: (args) => ({ text: args['text'] }) }),
      languages: languageNames.map((name) => ({ ...languages[name], sandbox: sandboxOf(name, program) })),
      queue: { maxConcurrent: 2 },
    });
    const circuit = { circuit: 'closed' as const, failuresInRow: 0, circuitFailures: 0 };
    const poolStats: PoolStats = {
      active: 0,
      waiting: 0,
      max: 100,
      servers: [
        { name: 'good', state: 'connected', tools: 3, ...circuit },
        { name: 'bad', state: 'failed', reason: 'It did not start.', ...circuit },
      ],
    };
    const health = () => measureHealth({ executor, poolStats });
    const host = () => Promise.resolve({ executor, health });
    const server = createServer({
      version: '1.2.3',
      caller: { id: 'stdio', kind: 'stdio' },
      instructions: instructionsFor(['good', 'bad'], Object.values(introductions)),
      tools: () =>
        Promise.resolve([
          ...languageNames.map((name) =>
            executionTool(languages[name], introductions[name], { host, servers: ['good', 'bad'] }),
          ),
          healthTool({ version: '1.2.3', host, warnings: () => warnings }),
        ]),
      logger: silentLogger,
    });
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    client = new Client({ name: clientName, version: '0' });
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    // Makes the client check every structured result against the published schema.
    await client.listTools();
    return client;
  }

  async function call(name: string, args: Record<string, unknown>) {
    const result = await client.callTool({ name, arguments: args });
    const content = result.content as { type: string; text?: string }[];
    // Some clients show only the one, some only the other.
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(result.structuredContent);
    const structuredContent = result.structuredContent as Record<string, unknown>;
    return { isError: result.isError, content, structuredContent, meta: result._meta };
  }

  test('introduces itself', async () => {
    await connect();
    expect(client.getServerVersion()).toEqual({
      name: 'code-executor',
      title: 'Code Executor',
      version: '1.2.3',
    });
    expect(client.getInstructions()).toMatch(
      /Use executeTypescript or executePython whenever .* good, bad\..*searchTools/s,
    );
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
  });

  test('lists the three tools with honest annotations', async () => {
    const { tools } = await (await connect()).listTools();
    expect(tools.map(({ name, title, annotations }) => ({ name, title, annotations }))).toEqual([
      {
        name: 'executeTypescript',
        title: 'Execute TypeScript',
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
      {
        name: 'executePython',
        title: 'Execute Python',
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
      {
        name: 'health',
        title: 'Health',
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
    ]);
    const [typescript, python] = tools;
    for (const word of [
      'callMCPTool',
      'discoverMCPTools',
      'tools.server.tool',
      'getToolTypes',
      'searchTools',
      'display',
      'allowedTools',
    ]) {
      expect(typescript?.description).toContain(word);
    }
    const pythonWords = ['tools.server.tool', 'call_mcp_tool', 'search_tools', 'get_tool_types', 'display'];
    for (const word of [...pythonWords, 'last expression', 'await', 'network', 'allowedTools', 'Example']) {
      expect(python?.description).toContain(word);
    }
  });

  test('has the same results in both languages, and the same parameters except for files', async () => {
    const { tools } = await (await connect()).listTools();
    const [typescript, python] = tools;
    expect(python?.outputSchema).toEqual(typescript?.outputSchema);
    const { permissions, ...others } = typescript?.inputSchema.properties ?? {};
    expect(permissions).toMatchObject({ properties: { read: {}, write: {}, net: {} } });
    expect(python?.inputSchema).toEqual({
      ...typescript?.inputSchema,
      properties: {
        ...others,
        permissions: {
          type: 'object',
          description: 'Hosts',
          properties: { net: { type: 'array', items: { type: 'string' } } },
          additionalProperties: false,
        },
      },
    });
  });

  test('describes each parameter', async () => {
    const { tools } = await (await connect()).listTools();
    for (const { inputSchema } of tools.slice(0, 2)) {
      const { code, ...parameters } = (inputSchema.properties ?? {}) as Record<
        string,
        { description?: string }
      >;
      expect(code).toBeDefined();
      expect(Object.keys(parameters)).toEqual(['allowedTools', 'timeoutMs', 'permissions']);
      for (const { description } of Object.values(parameters)) expect(description).toMatch(/\w/);
    }
  });

  test('names the servers in the description of each tool that runs programs', async () => {
    const { tools } = await (await connect()).listTools();
    const [typescript, python] = tools.map(({ description }) => description);
    expect(typescript).toContain('Servers: good, bad.');
    expect(python).toContain('Servers: good, bad.');
    const many = Array.from({ length: 100 }, (_, index) => `server-${index}`);
    const host = () => Promise.reject(new Error('not called'));
    const descriptionFor = (servers: string[]) =>
      executionTool(languages.python, introductions.python, { host, servers }).description;
    const description = descriptionFor(many);
    expect(description).toContain('Servers: server-0, server-1, ');
    expect(description).toMatch(/, server-18 and 81 more\./);
    expect(descriptionFor([])).toContain('Servers: none.');
  });

  test('costs at most 600 tokens, and 1600 with the schemas of the results', async () => {
    const { tools } = await (await connect()).listTools();
    const asked = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(encode(JSON.stringify(asked)).length).toBeLessThanOrEqual(600);
    const all = tools.map(({ outputSchema }, index) => ({ ...asked[index], outputSchema }));
    expect(encode(JSON.stringify(all)).length).toBeLessThanOrEqual(1600);
  });

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

  test('answers an unknown tool with a protocol error that names the tools', async () => {
    await connect();
    await expect(client.callTool({ name: 'nope'.repeat(100) })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        /Unknown tool "(nope){15}"; the tools are executeTypescript, executePython, health\./,
      ),
    });
    await expect(client.callTool({ name: '__proto__' })).rejects.toMatchObject({ code: -32602 });
  });

  test('sends progress only to clients that ask for it', async () => {
    await connect(async ({ tools, onOutput }) => {
      await tools.callTool('mcp__test__echo', { text: 'a' });
      onOutput?.({ stream: 'stdout', text: 'a line\n' });
      return {};
    });
    const request = { name: 'executeTypescript', arguments: { code: 'x', allowedTools: ['*'] } };
    const seen: unknown[] = [];
    await client.callTool(request, undefined, { onprogress: (progress) => seen.push(progress) });
    // The line came within the same second and the program was over before the next.
    expect(seen).toEqual([{ progress: 1, message: 'calling mcp__test__echo' }]);
    await client.callTool(request);
    expect(seen).toHaveLength(1);
  });

  test('cancels the program when the client cancels the request', async () => {
    let start: (signal: AbortSignal | undefined) => void = () => undefined;
    const started = new Promise<AbortSignal | undefined>((resolve) => (start = resolve));
    await connect(({ signal }) => {
      start(signal);
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve({})));
    });
    const caller = new AbortController();
    const request = { name: 'executeTypescript', arguments: { code: 'x' } };
    client.callTool(request, undefined, { signal: caller.signal }).catch(() => undefined);
    const signal = await started;
    expect(signal?.aborted).toBe(false);
    caller.abort('enough');
    if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    expect(signal?.aborted).toBe(true);
  });

  test('health reports the state of all parts, also while programs run', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    await connect(() => ended.then(() => ({})), ['.mcp.json is broken.', 'x'.repeat(1000)]);
    const running = client.callTool({ name: 'executeTypescript', arguments: { code: 'x' } });
    const { isError, structuredContent } = await call('health', {});
    expect(isError).toBe(false);
    expect(structuredContent).toEqual({
      healthy: true,
      version: '1.2.3',
      isolation: 'portable',
      note: 'bubblewrap is missing.',
      warnings: ['.mcp.json is broken.', 'x'.repeat(300)],
      auditLog: { enabled: false },
      mcpClients: { connected: 1 },
      connectionPool: { active: 0, waiting: 0, max: 100 },
      executions: { running: 1, waiting: 0, max: 2, finished: 0 },
      spares: { ready: 8, memoryMb: 600 },
      sandboxes: languageNames.map((language) => ({
        language,
        isolation: 'portable',
        note: 'bubblewrap is missing.',
        spares: { ready: 4, memoryMb: 300 },
      })),
      servers: [
        { name: 'good', state: 'connected' },
        { name: 'bad', state: 'failed', reason: 'It did not start.' },
      ],
      uptime: expect.any(Number) as unknown,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown,
    });
    end();
    await running;
  });

  test('health shows a bounded number of warnings', async () => {
    await connect(
      undefined,
      Array.from({ length: 100 }, (_, index) => `Warning ${index}.`),
    );
    const { structuredContent } = await call('health', {});
    expect(structuredContent['warnings']).toHaveLength(20);
  });

  test('health takes no parameters', async () => {
    await connect();
    const { isError, structuredContent } = await call('health', { verbose: true });
    expect(isError).toBe(true);
    expect(structuredContent['error']).toBe('Unknown parameter "verbose"; health takes none.');
  });
});
