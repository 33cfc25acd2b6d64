import { languageNames } from '@code-executor/config';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { introductions } from '../introductions.js';
import { executionTool } from '../toolsets/core/execution-tool.js';
import { languages, client, connect, call, eras, useEra } from './connected-client.test.support.js';

describe.each(eras)('createServer in the %s era', (era) => {
  beforeEach(() => useEra(era));

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
    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      logging: {},
      ...(era === 'modern' && { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
    });
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
    await client.callTool(request, { onprogress: (progress) => seen.push(progress) });
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
    client.callTool(request, { signal: caller.signal }).catch(() => undefined);
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
