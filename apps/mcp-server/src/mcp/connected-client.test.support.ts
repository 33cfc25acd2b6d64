import { languageNames } from '@code-executor/config';
import { afterEach, expect } from '@jest/globals';
import { silentLogger } from '@code-executor/contracts';
import { type PoolStats } from '@code-executor/client-pool';
import { type FakeProgram, fakeSandbox, fakeToolSource } from '@code-executor/contracts/testing';
import { measureHealth } from '@code-executor/host';
import { createExecutor, python, typescript } from '@code-executor/executor';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { instructionsFor } from '../instructions.js';
import { introductions } from '../introductions.js';
import type { Era } from './requesting-client.js';
import { KeptCalls } from './calls/kept-calls.js';
import { connectClient } from './connect-client.test.support.js';
import { executionTool } from '../toolsets/core/execution-tool.js';
import { healthTool } from '../toolsets/core/health.js';

export const languages = { typescript, python };

export const sandboxOf = (language: string, program: FakeProgram) =>
  fakeSandbox(async (request) => ({ durationMs: 5, ...(await program(request)) }), {
    language,
    status: {
      isolation: 'portable',
      note: 'bubblewrap is missing.',
      spares: { ready: 4, memoryMb: 300 },
    },
  });

export const eras: readonly Era[] = ['legacy', 'modern'];

let era: Era = 'legacy';
/** The era of the clients that `connect` makes from now on. */
export function useEra(next: Era): void {
  era = next;
}

export let client: Awaited<ReturnType<typeof connectClient>>;
afterEach(() => client.close());

/** The server with all its tools, over sandboxes in memory, and the SDK's client connected to it. */
export async function connect(
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
  client = await connectClient(
    {
      version: '1.2.3',
      instructions: () => instructionsFor(['good', 'bad'], Object.values(introductions)),
      tools: () =>
        Promise.resolve([
          ...languageNames.map((name) =>
            executionTool(languages[name], introductions[name], { host, servers: ['good', 'bad'] }),
          ),
          healthTool({ version: '1.2.3', host, warnings: () => warnings }),
        ]),
      kept: new KeptCalls(),
      logger: silentLogger,
    },
    { era, name: clientName },
  );
  // Makes the client check every structured result against the published schema.
  await client.listTools();
  return client;
}

export async function call(name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const content = result.content as { type: string; text?: string }[];
  // Some clients show only the one, some only the other.
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(result.structuredContent);
  const structuredContent = result.structuredContent as Record<string, unknown>;
  return { isError: result.isError, content, structuredContent, meta: ownMeta(result._meta) };
}

/** Without what the SDK adds to each result of 2026-07-28. */
function ownMeta(meta: Record<string, unknown> = {}) {
  const entries = Object.entries(meta).filter(([key]) => key !== SERVER_INFO_META_KEY);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
