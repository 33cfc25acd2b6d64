import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type AuditEvent, silentLogger, type ToolSchema } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { createExecutor, type Executor, typescript } from '@code-executor/executor';
import { createMetrics } from '@code-executor/metrics';
import { toolOutline } from '@code-executor/schema-types';
import { generateWrappers, typeScriptWrappers, writeWrappers } from '@code-executor/wrapper-gen';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { instructionsFor } from './instructions.js';
import { KeptCalls } from './mcp/calls/kept-calls.js';
import { connectClient } from './mcp/connect-client.test.support.js';
import { executionTool } from './toolsets/core/execution-tool.js';
import { toy, toyForm, toyIntroduction, ToySandbox, toyWrappers } from './toy-language.test.support.js';

const parameters = {
  type: 'object',
  properties: { to: { type: 'string' }, cc: { type: 'string' } },
  required: ['to'],
};
const letter: ToolSchema = { name: 'mcp__post__send_letter', server: 'post', parameters };
const signature = 'tools.Post.SendLetter with to string gives unknown';

describe('a language that only this test knows', () => {
  let sandbox: ToySandbox;
  let executor: Executor;
  let client: Client;
  let events: AuditEvent[];
  const metrics = createMetrics({});

  beforeEach(async () => {
    sandbox = new ToySandbox();
    events = [];
    executor = createExecutor({
      tools: fakeToolSource({ mcp__post__send_letter: () => 'sent' }, { mcp__post__send_letter: letter }),
      languages: [
        { ...toy, sandbox },
        { ...typescript, sandbox: new ToySandbox() },
      ],
      queue: { maxQueued: 1 },
      audit(event) {
        events.push(event);
        return metrics.record(event);
      },
    });
    const options = { host: () => Promise.resolve({ executor }), servers: ['post'] };
    client = await connectClient({
      version: '1.2.3',
      instructions: () => instructionsFor(['post'], [toyIntroduction]),
      tools: () => Promise.resolve([executionTool(toy, toyIntroduction, options)]),
      kept: new KeptCalls(),
      logger: silentLogger,
    });
  });
  afterEach(async () => {
    sandbox.letGo();
    await client.close();
    await executor.close();
  });

  const run = async (code: string, args: object = {}) =>
    (
      await client.callTool({
        name: 'executeToy',
        arguments: { code, allowedTools: ['post'], ...args },
      })
    ).structuredContent as Record<string, unknown>;

  test('is offered as a tool, without parameters for the files that it does not take', async () => {
    expect(client.getInstructions()).toMatch(
      /^Use executeToy whenever .* run `find what you need`; then call/,
    );
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: 'executeToy', title: 'Execute Toy', description: 'Runs Toy. Servers: post.' },
    ]);
    const { permissions } = tools[0]?.inputSchema.properties as Record<string, { properties: object }>;
    expect(Object.keys(permissions?.properties ?? {})).toEqual(['net']);
  });

  test('runs programs, finds tools in its own form, and calls them', async () => {
    expect(await run('say hello\ncall mcp__post__send_letter {"to":"Ada"}\nfind letter')).toMatchObject({
      status: 'succeeded',
      output: 'hello\n',
      result: [signature],
      toolCallsMade: ['mcp__post__send_letter'],
    });
    expect(toolOutline(letter, toyForm)).toBe('[TO, maybe CC]');
  });

  test('reports problems in its own form', async () => {
    expect(await run('call mcp__post__send_letter {}')).toMatchObject({
      error: expect.stringContaining(`Its signature is ${signature}`) as unknown,
    });
    expect(await run('sleep')).toMatchObject({ resultNote: toy.howToGiveValue });
    expect(await run('sleep', { permissions: { read: ['/tmp'] } })).toMatchObject({
      errorCode: 'invalid_argument',
      error: expect.stringContaining('Toy programs take no files') as unknown,
    });
  });

  test('runs as many programs at once as it says, and another language does not wait for them', async () => {
    const start = (code: string, { name } = toy) => executor.execute({ code }, { language: name });
    const both = [start('meet\ngive 1'), start('give 2')];
    expect(executor.stats).toMatchObject({ running: 1, waiting: 1, max: 16 });
    expect(await start('give 3')).toMatchObject({
      errorCode: 'unavailable',
      error: 'All 1 Toy executions are busy and 1 more are waiting; try again later.',
    });
    expect((await start('give 4', typescript)).result).toBe(4);
    sandbox.letGo();
    expect(await Promise.all(both)).toMatchObject([{ result: 1 }, { result: 2 }]);
  });

  test('is recorded and counted under its name', async () => {
    await run('SAY hello');
    expect(events).toMatchObject([{ type: 'execution', language: 'toy', patterns: ['shouting'] }]);
    expect(await metrics.render()).toContain('executions_total{language="toy",status="success"');
  });

  test('has wrappers beside those of another language', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toy-'));
    const write = (tools: ToolSchema[], form = toyWrappers, keepsOthers = false) =>
      writeWrappers(folder, generateWrappers(tools, form), { keepsOthers });
    try {
      const mail: ToolSchema = { name: 'mcp__mail__send', server: 'mail', parameters: {} };
      expect((await write([letter])).written).toEqual([
        'toy/phone.toy',
        'toy/everybody.toy',
        'toy/mcp_post.toy',
      ]);
      expect(await readFile(join(folder, 'toy/mcp_post.toy'), 'utf8')).toBe(
        'SendLetter calls <mcp__post__send_letter>\n',
      );
      await write([letter], typeScriptWrappers);
      await write([mail], toyWrappers, true);
      expect(await readFile(join(folder, 'toy/everybody.toy'), 'utf8')).toBe(
        'Mail lives in mcp_mail\nPost lives in mcp_post\n',
      );
      expect((await write([mail])).deleted).toEqual(['toy/mcp_post.toy']);
      expect(await readdir(join(folder, 'typescript'))).toContain('mcp-post.ts');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
