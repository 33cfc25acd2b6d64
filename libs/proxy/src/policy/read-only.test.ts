import type { CallerPolicy, ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolPolicy } from '../index.js';

const source = () =>
  fakeToolSource(
    { mcp__fs__read: () => 'content', mcp__fs__write: () => 'written', mcp__fs__stat: () => 'size' },
    {
      mcp__fs__read: { annotations: { readOnlyHint: true } },
      mcp__fs__write: { annotations: { readOnlyHint: false } },
    },
  );

function proxyOf(policy: ToolPolicy, own: CallerPolicy = {}) {
  const caller = { id: 'ci', kind: 'http' as const, policy: own };
  return createToolProxy({ tools: source(), policy, caller, allowedTools: ['fs'] });
}

/** `called`, or the message of the refusal. */
const outcome = (name: ToolName, policy: ToolPolicy, own?: CallerPolicy) =>
  proxyOf(policy, own)
    .callTool(name, {})
    .then(
      () => 'called',
      (reason: unknown) => (reason as Error).message,
    );

const refused = (name: string, key: string) =>
  `Tool ${name} is in allowedTools, but the server's policy forbids it (${key}).`;

describe('with policy.readOnly', () => {
  test('only tools can be called whose servers say that they only read', async () => {
    const policy = { readOnly: true };
    expect(await outcome('mcp__fs__read', policy)).toBe('called');
    expect(await outcome('mcp__fs__write', policy)).toBe(refused('mcp__fs__write', 'policy.readOnly'));
    expect(await outcome('mcp__fs__stat', policy)).toBe(refused('mcp__fs__stat', 'policy.readOnly'));
  });

  test('the other tools are marked in listings, and not proposed for a wrong name', async () => {
    const proxy = proxyOf({ readOnly: true });
    const unavailable = {
      reason: "The server's policy forbids this tool (policy.readOnly).",
      fix: 'Use another tool, or have the operator change policy.readOnly.',
    };
    const { tools } = await proxy.listTools();
    expect(tools.map((tool) => [tool.name, tool.unavailable])).toEqual([
      ['mcp__fs__read', undefined],
      ['mcp__fs__write', unavailable],
      ['mcp__fs__stat', unavailable],
    ]);
    const wrong = proxy.callTool('mcp__fs__wrte', {});
    await expect(wrong).rejects.toMatchObject({
      message: expect.not.stringContaining('mcp__fs__write') as unknown,
    });
  });

  test('a tool that is denied stays denied, and nobody is asked about one that is blocked', async () => {
    const asksAll = { readOnly: true, servers: { fs: { ask: ['*'], deny: ['read'] } } };
    expect(await outcome('mcp__fs__read', asksAll)).toBe(refused('mcp__fs__read', 'policy.servers.fs.deny'));
    expect(await outcome('mcp__fs__write', asksAll)).toBe(refused('mcp__fs__write', 'policy.readOnly'));
  });
});

describe('the policy of a caller', () => {
  test('can leave it only tools that read, but not give it more than the operator does', async () => {
    expect(await outcome('mcp__fs__write', {}, { readOnly: true })).toBe(
      refused('mcp__fs__write', 'http.clients.ci.policy.readOnly'),
    );
    expect(await outcome('mcp__fs__write', { readOnly: true }, { readOnly: false })).toBe(
      refused('mcp__fs__write', 'policy.readOnly'),
    );
  });

  test('can have a ceiling, which bounds what it asks for and gives nothing', async () => {
    const own = { ceiling: ['mcp__fs__read'] };
    expect(await outcome('mcp__fs__read', {}, own)).toBe('called');
    expect(await outcome('mcp__fs__stat', {}, own)).toBe(
      refused('mcp__fs__stat', 'http.clients.ci.policy.ceiling'),
    );
    expect(await outcome('mcp__fs__read', { ceiling: ['mcp__fs__stat'] }, own)).toBe(
      refused('mcp__fs__read', 'policy.ceiling'),
    );
    const caller = { id: 'ci', kind: 'http' as const, policy: own };
    const direct = createToolProxy({ tools: source(), caller, isDirect: true });
    await expect(direct.callTool('mcp__fs__read', {})).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
