import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { auditRecordsOf } from '../server-under-test/audit-records.js';
import { createHome, removeHome } from '../server-under-test/home.js';
import { until } from '../server-under-test/until.js';
import { type EraClient, eraClients } from './era-clients.js';

describe.each(Object.entries(eraClients))('a client made with %s', (_name, connect) => {
  let home: string;
  let client: EraClient;
  let changes: number;
  beforeEach(async () => {
    home = await createHome({ '.code-executor.json': '{}' });
    changes = 0;
    client = await connect({ home, onToolsChanged: () => changes++ });
  });
  afterEach(async () => {
    await client.close();
    await removeHome(home);
  });

  test('reads instructions and tools with schemas and annotations', async () => {
    expect(client.instructions).toMatch(/^Use executeTypescript or executePython whenever/);
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['executeTypescript', 'executePython', 'health']);
    for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: 'object' });
    expect(tools[2]?.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  test('gets results and failures of programs as structured content and as text', async () => {
    const run = async (code: string) => {
      const result = await client.callTool('executeTypescript', { code });
      const [{ text }] = result['content'] as [{ text: string }];
      expect(JSON.parse(text)).toEqual(result['structuredContent']);
      return { isError: result['isError'], structured: result['structuredContent'] };
    };
    expect(await run('return [1, { a: null }]')).toMatchObject({
      isError: false,
      structured: { success: true, result: [1, { a: null }] },
    });
    expect(await run('throw new Error("boom")')).toMatchObject({
      isError: true,
      structured: {
        success: false,
        errorCode: 'user_error',
        error: expect.stringContaining('boom') as unknown,
      },
    });
    expect(await run('')).toMatchObject({
      isError: true,
      structured: { success: false, errorCode: 'invalid_argument' },
    });
  });

  test('gets a protocol error for an unknown tool', async () => {
    await expect(client.callTool('nope', {})).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool "nope"; the tools are executeTypescript') as unknown,
    });
  });

  test('sees progress, and ends a program by cancelling its call', async () => {
    const cancelling = new AbortController();
    const code = 'console.log("begun"); await new Promise((end) => setTimeout(end, 60_000))';
    let progress: string | undefined;
    const call = client.callTool(
      'executeTypescript',
      { code, timeoutMs: 60_000 },
      {
        signal: cancelling.signal,
        onProgress: (message) => (progress ??= message),
      },
    );
    call.catch(() => undefined);
    await until(() => progress !== undefined);
    expect(progress).toBe('begun');
    cancelling.abort();
    await until(async () =>
      (await auditRecordsOf(home)).some(
        ({ type, errorCode }) => type === 'execution' && errorCode === 'cancelled',
      ),
    );
  });

  test('is told that the tools have changed', async () => {
    await client.listTools();
    await writeFile(
      join(home, '.code-executor.json'),
      JSON.stringify({ executors: { python: { enabled: false } } }),
    );
    await until(() => changes > 0);
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual(['executeTypescript', 'health']);
  });
});
