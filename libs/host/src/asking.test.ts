import type { ToolSource } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import type { CallAnswer } from '@code-executor/executor';
import { afterAll, describe, expect, test } from '@jest/globals';

import { createHost } from './host.js';

const tools: ToolSource = fakeToolSource({
  mcp__files__read: () => 'read',
  mcp__files__remove: () => 'removed',
});
const host = createHost({
  config: {
    audit: { enabled: false },
    sandbox: { spares: { typescript: 0, python: 0 } },
    policy: { servers: { files: { ask: ['remove'] } } },
  },
  tools,
});
afterAll(() => host.close());

/** Programs that make three calls at once, and tell what came of each. */
const programs = {
  typescript: `
    const outcome = (name, path) => callMCPTool('mcp__files__' + name, { path }).catch((error) => [
      error instanceof McpToolError, error instanceof ToolNotAllowedError, error.code, error.tool, error.server,
    ]);
    return await Promise.all([outcome('read', 'a'), outcome('remove', 'b'), outcome('remove', 'c')]);`,
  python: `
import asyncio
async def outcome(name, path):
    try:
        return await call_mcp_tool("mcp__files__" + name, {"path": path})
    except McpToolError as error:
        return [True, isinstance(error, ToolNotAllowedError), error.code, error.tool, error.server]
await asyncio.gather(outcome("read", "a"), outcome("remove", "b"), outcome("remove", "c"))`,
};

const refused = (code: string) => [true, code === 'permission_denied', code, 'mcp__files__remove', 'files'];

describe.each(['typescript', 'python'] as const)('a program in %s whose calls need answers', (language) => {
  /** The value of the program, with a decision for each path. */
  async function run(decisions?: Record<string, CallAnswer['decision']>): Promise<unknown> {
    const request = { code: programs[language], allowedTools: ['files'] };
    const execution = host.executor.start(request, { language, canAsk: decisions !== undefined });
    for (let question; (question = await execution.nextQuestion());) {
      for (const { key, args } of question.calls) {
        const decision = decisions?.[args['path'] as string];
        execution.answer(question.id, { [key]: { decision } as CallAnswer });
      }
    }
    const { error, result } = await execution.result;
    return error ?? result;
  }

  test('gets the results of those that are allowed, and catches the denial of another', async () => {
    expect(await run({ b: 'denied', c: 'once' })).toEqual(['read', refused('permission_denied'), 'removed']);
  });

  test('catches that a question was dismissed, and goes on', async () => {
    expect(await run({ b: 'cancelled', c: 'cancelled' })).toEqual([
      'read',
      refused('cancelled'),
      refused('cancelled'),
    ]);
  });

  test('catches that nobody can be asked', async () => {
    const unsupported = refused('failed_precondition');
    expect(await run()).toEqual(['read', unsupported, unsupported]);
  });
});
