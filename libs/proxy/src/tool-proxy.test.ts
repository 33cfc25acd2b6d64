import type { FailedServer, ListOptions, ToolListing, ToolSource } from '@code-executor/contracts';
import { describeToolSource, fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy } from './index.js';
import { codeOf, fakeTools } from './proxy.test.kit.js';

// Everything is allowed, because the suite asks for unknown names, which an allowlist would deny.
describeToolSource('createToolProxy', () =>
  Promise.resolve({ source: createToolProxy({ tools: fakeTools(), allowedTools: ['*'] }) }),
);

describe('discovery', () => {
  const asked: string[] = [];
  const failure: FailedServer = {
    server: 'dead',
    reason: 'It exited with code 1.',
    fix: 'Check its command.',
    retryAfterMs: 1234,
  };
  const source = (): ToolSource => {
    const fake = fakeTools();
    asked.length = 0;
    return {
      callTool: (...args) => fake.callTool(...args),
      listTools: async (options = {}): Promise<ToolListing> => {
        asked.push(options.name ?? 'all');
        const listing = await fake.listTools(options);
        const concernsDead = options.name === undefined || options.name.startsWith('mcp__dead__');
        return { ...listing, failedServers: concernsDead ? [failure] : [] };
      },
    };
  };

  test('shows tools that the caller did not allow, and marks those that the policy forbids', async () => {
    const policy = { ceiling: ['mcp__test__echo'] };
    const proxy = createToolProxy({ tools: source(), policy });
    const { tools } = await proxy.listTools();
    expect(tools.map(({ name, unavailable }) => [name, unavailable])).toEqual([
      ['mcp__test__echo', undefined],
      [
        'mcp__test__fail',
        {
          reason: "The server's policy forbids this tool (policy.ceiling).",
          fix: 'Use another tool, or have the operator change policy.ceiling.',
        },
      ],
    ]);
    const one = await proxy.listTools({ name: 'mcp__test__fail' });
    expect(one.tools[0]?.unavailable).toEqual(tools[1]?.unavailable);
  });

  test('fetches one listing for concurrent callers, and asks for nothing that is known', async () => {
    const proxy = createToolProxy({ tools: source(), allowedTools: ['*'] });
    const listings = await Promise.all([
      proxy.listTools(),
      proxy.listTools({ query: 'echo' }),
      proxy.listTools(),
    ]);
    await proxy.listTools({ name: 'mcp__test__echo' });
    await proxy.callTool('mcp__test__echo', { text: 'x' });
    expect(asked).toEqual(['all']);
    await proxy.listTools({ query: 'FAIL', limit: 1 });
    expect(asked).toEqual(['all', 'all']);
    expect(listings.map(({ tools }) => tools.length)).toEqual([2, 1, 2]);
    expect(listings.map(({ failedServers }) => failedServers)).toEqual([[failure], [failure], [failure]]);
  });

  test('asks the source for a single tool if only that is needed', async () => {
    const proxy = createToolProxy({ tools: source(), allowedTools: ['*'] });
    await Promise.all([1, 2, 3].map(() => proxy.callTool('mcp__test__echo', {})));
    await proxy.listTools({ name: 'mcp__test__fail' });
    await proxy.callTool('mcp__test__fail', {});
    expect(asked).toEqual(['mcp__test__echo', 'mcp__test__fail']);
    expect(proxy.failedServers).toEqual([]);
  });

  test('answers unavailable for a server that failed, with its own time to try again', async () => {
    const proxy = createToolProxy({ tools: source(), allowedTools: ['*'] });
    const call = () => proxy.callTool('mcp__dead__read', {});
    await expect(call()).rejects.toMatchObject({
      code: 'unavailable',
      server: 'dead',
      tool: 'mcp__dead__read',
      retryAfterMs: 1234,
      message:
        'Tool mcp__dead__read cannot be called because its server dead is unavailable: It exited with code 1. Check its command.',
    });
    expect(await codeOf(proxy.callTool('mcp__dead__write', {}))).toBe('unavailable');
    await proxy.listTools();
    expect(await codeOf(call())).toBe('unavailable');
    expect(proxy.failedServers).toEqual([failure]);
  });

  test('calls a server that works again, and no longer reports it as failed', async () => {
    const fake = fakeToolSource({ mcp__slow__read: () => 'x' });
    const options: ListOptions[] = [];
    const starting = { server: 'slow', reason: 'it starts', fix: 'Wait.', isStarting: true as const };
    const tools = {
      ...fake,
      listTools(given: ListOptions = {}): Promise<ToolListing> {
        options.push(given);
        return given.untilReady
          ? fake.listTools(given)
          : Promise.resolve({ tools: [], failedServers: [starting] });
      },
    };
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    expect((await proxy.listTools({ server: 'slow' })).failedServers).toEqual([starting]);
    expect(proxy.failedServers).toEqual([starting]);
    await proxy.callTool('mcp__slow__read', {});
    expect(proxy.failedServers).toEqual([]);
    const name = 'mcp__slow__read';
    expect(options).toEqual([{ server: 'slow' }, { name }, { name, untilReady: true }]);
  });

  test('ends the reason of a failed server with a full stop', async () => {
    const failedServers = [{ server: 'dead', reason: 'The command x was not found', fix: 'Install it.' }];
    const listTools = () => Promise.resolve({ tools: [], failedServers });
    const proxy = createToolProxy({ tools: { ...fakeTools(), listTools }, allowedTools: ['*'] });
    await expect(proxy.callTool('mcp__dead__read', {})).rejects.toMatchObject({
      message: expect.stringMatching(
        / is unavailable: The command x was not found\. Install it\.$/,
      ) as unknown,
    });
  });

  test('does not confuse a failed server with another whose name begins like its own', async () => {
    const tools = fakeToolSource(
      { mcp__dead__sea__read: () => 'x' },
      { mcp__dead__sea__read: { server: 'dead__sea' } },
    );
    const listTools = async (options = {}) => ({
      ...(await tools.listTools(options)),
      failedServers: [failure],
    });
    const proxy = createToolProxy({ tools: { ...tools, listTools }, allowedTools: ['*'] });
    expect(await codeOf(proxy.callTool('mcp__dead__sea__read', {}))).toBe('ok');
    expect(await codeOf(proxy.callTool('mcp__dead__sea__drink', {}))).toBe('not_found');
  });

  test('tries again after a listing that was cut short', async () => {
    const fake = fakeTools();
    let attempts = 0;
    const listTools: ToolSource['listTools'] = (options) =>
      ++attempts === 1 ? Promise.reject(new Error('secret')) : fake.listTools(options);
    const proxy = createToolProxy({ tools: { ...fake, listTools } });
    await expect(proxy.listTools()).rejects.toMatchObject({
      code: 'internal',
      message: 'An internal error occurred; see the log.',
    });
    expect((await proxy.listTools()).tools).toHaveLength(2);
  });

  test('stops waiting when the caller cancels, but others still get the listing', async () => {
    let release: (listing: ToolListing) => void = () => undefined;
    const listTools = () => new Promise<ToolListing>((resolve) => (release = resolve));
    const proxy = createToolProxy({ tools: { ...fakeTools(), listTools } });
    const controller = new AbortController();
    const impatient = proxy.listTools({ signal: controller.signal });
    const patient = proxy.listTools();
    controller.abort(new Error('own reason'));
    expect(await codeOf(impatient)).toBe('cancelled');
    release({ tools: [], failedServers: [] });
    expect(await patient).toEqual({ tools: [], failedServers: [] });
  });
});
