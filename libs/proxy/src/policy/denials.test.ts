import { CodeExecutorError, type JsonObject, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolProxyOptions } from '../index.js';

const source = () =>
  fakeToolSource({
    mcp__fs__read: () => 'content',
    mcp__fs__write: () => 'written',
    mcp__github__search: () => [],
  });

type Case = Omit<ToolProxyOptions, 'tools'>;

const messageOf = async (name: unknown, options: Case, args: JsonObject = {}): Promise<string> => {
  const proxy = createToolProxy({ ...options, tools: source() });
  return proxy.callTool(name as ToolName, args).then(
    () => 'called',
    (reason: unknown) => (reason as Error).message,
  );
};

describe('the message of a denial', () => {
  const servers = { fs: { deny: ['read'] } };
  test.each<[string, unknown, Case, string]>([
    [
      'an empty list',
      'mcp__fs__read',
      {},
      'Tool mcp__fs__read is not in allowedTools, which is empty; add it, or the name of its server, or call only what is there.',
    ],
    [
      'another list',
      'mcp__fs__read',
      { allowedTools: ['mcp__fs__write', 'mcp__github__*'] },
      'Tool mcp__fs__read is not in allowedTools (mcp__fs__write, mcp__github__*); add it, or the name of its server, or call only what is there.',
    ],
    [
      'the policy too',
      'mcp__fs__read',
      { allowedTools: ['mcp__fs__write'], policy: { servers } },
      "Tool mcp__fs__read is not in allowedTools (mcp__fs__write), and adding it would not help because the server's policy forbids it (policy.servers.fs.deny).",
    ],
    [
      'the policy alone',
      'mcp__fs__read',
      { allowedTools: ['*'], policy: { ceiling: [] } },
      "Tool mcp__fs__read is in allowedTools, but the server's policy forbids it (policy.ceiling).",
    ],
    [
      'a look-alike',
      'mcp__fs__re\u200bаd \n',
      { allowedTools: ['mcp__fs__read'] },
      'Tool mcp__fs__re\\u{200b}\\u{430}d\\u{20}\\u{a} is not in allowedTools (mcp__fs__read); add it, or the name of its server, or call only what is there.',
    ],
    ['an array', ['mcp__fs__read'], {}, 'The name of a tool must be a string, not array ["mcp__fs__read"].'],
  ])('says what is allowed: %s', async (_name, name, options, message) => {
    expect(await messageOf(name, options)).toBe(message);
  });

  test('says what a full name is', async () => {
    for (const name of ['read', 'fs.read', 'mcp_fs_read', '']) {
      expect(await messageOf(name, { allowedTools: ['fs'] })).toBe(
        `Tool ${name || '""'} is not the full name of one; full names are mcp__<server>__<tool>, as searches give them.`,
      );
    }
  });

  test('stays short for long lists and names', async () => {
    const allowedTools = Array.from({ length: 1000 }, (_, i) => `mcp__${'s'.repeat(200)}__${i}`);
    const message = await messageOf(`mcp__${'m'.repeat(251)}`, { allowedTools });
    expect(message).toContain(' and 990 more');
    expect(message.length).toBeLessThan(2000);
    expect((await messageOf('m'.repeat(1_000_000), {})).length).toBeLessThan(300);
  });
});

describe('the server of a refusal', () => {
  const refusalOf = (name: string, options: Case, tools = source()) => {
    const proxy = createToolProxy({ ...options, tools });
    const call = () =>
      proxy.callTool(name as ToolName, {}).then(
        () => undefined,
        (reason: unknown) => {
          const { code, server } = CodeExecutorError.from(reason);
          return { code, server };
        },
      );
    return { proxy, call };
  };

  test('is the one that the policy has a rule for', async () => {
    const policy = { servers: { fs: { deny: ['read'] }, f: {} } };
    const { call } = refusalOf('mcp__fs__read', { allowedTools: ['*'], policy });
    expect(await call()).toEqual({ code: 'permission_denied', server: 'fs' });
  });

  test('is the one that the source names, whatever the name says', async () => {
    const tools = fakeToolSource({ mcp__alias__read: () => 'x' }, { mcp__alias__read: { server: 'fs' } });
    const policy = { servers: { fs: { deny: ['*'] } } };
    const { call } = refusalOf('mcp__alias__read', { allowedTools: ['*'], policy }, tools);
    expect(await call()).toEqual({ code: 'permission_denied', server: 'fs' });
  });

  test('is left out while it is not known, and given once the tools were listed', async () => {
    const { proxy, call } = refusalOf('mcp__fs__read', {});
    expect(await call()).toEqual({ code: 'permission_denied', server: undefined });
    await proxy.listTools();
    expect(await call()).toEqual({ code: 'permission_denied', server: 'fs' });
  });

  test('is given for a server that failed', async () => {
    const failedServers = [{ server: 'dead', reason: 'It was not found', fix: 'Install it.' }];
    const tools = { ...source(), listTools: () => Promise.resolve({ tools: [], failedServers }) };
    const { proxy, call } = refusalOf('mcp__dead__read', {}, tools);
    await proxy.listTools();
    expect(await call()).toEqual({ code: 'permission_denied', server: 'dead' });
  });

  test('is given for a tool that does not exist, by the longest name that fits', async () => {
    const tools = fakeToolSource(
      { mcp__a__b__c: () => 'x', mcp__a__d: () => 'x' },
      { mcp__a__b__c: { server: 'a__b' } },
    );
    const options = { allowedTools: ['*'] };
    expect(await refusalOf('mcp__a__b__x', options, tools).call()).toEqual({
      code: 'not_found',
      server: 'a__b',
    });
    expect(await refusalOf('mcp__a__x', options, tools).call()).toEqual({ code: 'not_found', server: 'a' });
    expect(await refusalOf('mcp__z__x', options, tools).call()).toEqual({
      code: 'not_found',
      server: undefined,
    });
  });
});
