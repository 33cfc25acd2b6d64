import { createHash } from 'node:crypto';

import { CodeExecutorError, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { type LoopbackServer, startLoopbackServer } from '@code-executor/loopback-server';
import { afterEach, describe, expect, test } from '@jest/globals';

import {
  createToolProxy,
  type ToolClient,
  type ToolPolicy,
  toolProxyRoutes,
  type ToolProxyRoutesOptions,
} from './index.js';

const source = () =>
  fakeToolSource({
    mcp__fs__read: () => 'content',
    mcp__fs__write: () => 'written',
    mcp__fs__remove: () => 'removed',
  });
const policy: ToolPolicy = {
  ceiling: ['mcp__fs__*'],
  defaultAllowedTools: ['mcp__fs__read', 'mcp__fs__write'],
  servers: { fs: { deny: ['remove'] } },
};

/** `called`, or the message of the refusal. */
async function outcome(name: string, client: ToolClient | 'anyone', rules = policy): Promise<string> {
  const tools = source();
  const proxy = createToolProxy({ tools, client, policy: rules });
  return proxy.callTool(name as ToolName, {}).then(
    () => 'called',
    (reason: unknown) => {
      expect(CodeExecutorError.from(reason).code).toBe('permission_denied');
      expect(tools.calls).toEqual([]);
      return (reason as Error).message;
    },
  );
}

describe('a client', () => {
  test.each<[string, ToolClient | 'anyone', string]>([
    ['mcp__fs__read', 'anyone', 'called'],
    ['mcp__fs__read', { id: 'ci' }, 'called'],
    ['mcp__fs__write', { id: 'ci', allow: ['mcp__fs__w*'] }, 'called'],
    [
      'mcp__fs__read',
      { id: 'ci', allow: ['mcp__fs__w*'] },
      'Tool mcp__fs__read is not in http.clients.ci.policy.allow (mcp__fs__w*); have the operator add it there, or call only what is there.',
    ],
    [
      'mcp__fs__read',
      { id: 'ci', allow: [] },
      'Tool mcp__fs__read is not in http.clients.ci.policy.allow, which is empty; have the operator add it there, or call only what is there.',
    ],
    [
      'mcp__fs__write',
      { id: 'ci', deny: ['*write'] },
      "Tool mcp__fs__write is in policy.defaultAllowedTools, but the server's policy forbids it (http.clients.ci.policy.deny).",
    ],
    [
      'mcp__fs__remove',
      { id: 'ci', allow: ['*'] },
      "Tool mcp__fs__remove is in http.clients.ci.policy.allow, but the server's policy forbids it (policy.servers.fs.deny).",
    ],
    [
      'mcp__shell__run',
      { id: 'ci', allow: ['*'] },
      "Tool mcp__shell__run is in http.clients.ci.policy.allow, but the server's policy forbids it (policy.ceiling).",
    ],
    [
      'mcp__fs__raed',
      { id: 'ci' },
      'Tool mcp__fs__raed is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); did you mean mcp__fs__read? Else have the operator add it there or to http.clients.ci.policy.allow.',
    ],
    [
      'mcp__fs__raed',
      'anyone',
      'Tool mcp__fs__raed is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); did you mean mcp__fs__read? Else have the operator add it there.',
    ],
    [
      'mcp__fs__stat',
      'anyone',
      'Tool mcp__fs__stat is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); have the operator add it there, or call only what is there.',
    ],
    [
      'mcp__fs__wirte',
      { id: 'ci', deny: ['mcp__fs__write'] },
      'Tool mcp__fs__wirte is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); have the operator add it there or to http.clients.ci.policy.allow, or call only what is there.',
    ],
  ])('calls %s as %j: %s', async (name, client, expected) => {
    expect(await outcome(name, client)).toBe(expected);
  });

  test('sees in listings what it may not call, and what would have to change', async () => {
    const client = { id: 'ci', allow: ['mcp__fs__read', 'mcp__fs__write'], deny: ['*__write'] };
    const { tools } = await createToolProxy({ tools: source(), policy: {}, client }).listTools();
    expect(Object.fromEntries(tools.map(({ name, unavailable }) => [name, unavailable?.reason]))).toEqual({
      mcp__fs__read: undefined,
      mcp__fs__write: "The server's policy forbids this tool (http.clients.ci.policy.deny).",
      mcp__fs__remove: "The server's policy forbids this tool (http.clients.ci.policy.allow).",
    });
  });

  test('has no allowedTools', () => {
    expect(() => createToolProxy({ tools: source(), client: 'anyone', allowedTools: ['*'] })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });
});

describe('routes for several clients', () => {
  let server: LoopbackServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** The status of a listing, asked for with the client's id as its token. */
  async function ask(id: string) {
    const headers = { authorization: `Bearer ${id}` };
    const answer = await fetch(`${server?.url ?? ''}/mcp/tools`, { headers });
    return { status: answer.status, body: await answer.text() };
  }

  test('ask for the proxy and the rate of the one who asks, and count for each', async () => {
    const asked: (string | undefined)[] = [];
    const options: ToolProxyRoutesOptions = {
      createProxy: (client) => {
        asked.push(client);
        return createToolProxy({ tools: source(), client: { id: client ?? '' } });
      },
      rateLimit: (client) => (client === 'free' ? false : { maxRequests: client === 'one' ? 1 : 2 }),
    };
    const clients = Object.fromEntries(
      ['one', 'two', 'free'].map((id) => [id, createHash('sha256').update(id).digest('hex')]),
    );
    server = await startLoopbackServer(
      async (app) => {
        await app.register(toolProxyRoutes, options);
      },
      { clients },
    );
    const statuses = async (id: string) => [await ask(id), await ask(id), await ask(id)].map((a) => a.status);
    expect(await statuses('one')).toEqual([200, 429, 429]);
    expect(await statuses('two')).toEqual([200, 200, 429]);
    expect(await statuses('free')).toEqual([200, 200, 200]);
    expect(asked).toEqual(['one', 'two', 'two', 'free', 'free', 'free']);
    expect((await ask('two')).body).toContain('security.rateLimit or http.clients.two.rateLimit.');
  });
});
