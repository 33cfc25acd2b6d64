import { createHash } from 'node:crypto';

import { type Caller, type CallerPolicy, CodeExecutorError, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { type HttpServer, startHttpServer } from '@code-executor/http-server';
import { afterEach, describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolPolicy, toolProxyRoutes, type ToolProxyRoutesOptions } from '../index.js';

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

const callerWith = (own?: CallerPolicy): Caller => ({ id: 'ci', kind: 'http', ...(own && { policy: own }) });

/** `called`, or the message of the refusal. */
async function outcome(name: string, own: CallerPolicy | undefined): Promise<string> {
  const tools = source();
  const proxy = createToolProxy({ tools, caller: callerWith(own), isDirect: true, policy });
  return proxy.callTool(name as ToolName, {}).then(
    () => 'called',
    (reason: unknown) => {
      expect(CodeExecutorError.from(reason).code).toBe('permission_denied');
      expect(tools.calls).toEqual([]);
      return (reason as Error).message;
    },
  );
}

describe('a caller that calls tools itself', () => {
  test.each<[string, CallerPolicy | undefined, string]>([
    ['mcp__fs__read', undefined, 'called'],
    ['mcp__fs__read', {}, 'called'],
    ['mcp__fs__write', { allow: ['mcp__fs__w*'] }, 'called'],
    [
      'mcp__fs__read',
      { allow: ['mcp__fs__w*'] },
      'Tool mcp__fs__read is not in http.clients.ci.policy.allow (mcp__fs__w*); have the operator add it there, or call only what is there.',
    ],
    [
      'mcp__fs__read',
      { allow: [] },
      'Tool mcp__fs__read is not in http.clients.ci.policy.allow, which is empty; have the operator add it there, or call only what is there.',
    ],
    [
      'mcp__fs__write',
      { deny: ['*write'] },
      "Tool mcp__fs__write is in policy.defaultAllowedTools, but the server's policy forbids it (http.clients.ci.policy.deny).",
    ],
    [
      'mcp__fs__remove',
      { allow: ['*'] },
      "Tool mcp__fs__remove is in http.clients.ci.policy.allow, but the server's policy forbids it (policy.servers.fs.deny).",
    ],
    [
      'mcp__shell__run',
      { allow: ['*'] },
      "Tool mcp__shell__run is in http.clients.ci.policy.allow, but the server's policy forbids it (policy.ceiling).",
    ],
    [
      'mcp__fs__raed',
      {},
      'Tool mcp__fs__raed is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); did you mean mcp__fs__read? Otherwise have the operator add it there or to http.clients.ci.policy.allow.',
    ],
    [
      'mcp__fs__raed',
      undefined,
      'Tool mcp__fs__raed is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); did you mean mcp__fs__read? Otherwise have the operator add it there.',
    ],
    [
      'mcp__fs__stat',
      undefined,
      'Tool mcp__fs__stat is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); have the operator add it there, or call only what is there.',
    ],
    [
      'mcp__fs__wirte',
      { deny: ['mcp__fs__write'] },
      'Tool mcp__fs__wirte is not in policy.defaultAllowedTools (mcp__fs__read, mcp__fs__write); have the operator add it there or to http.clients.ci.policy.allow, or call only what is there.',
    ],
  ])('calls %s as %j: %s', async (name, own, expected) => {
    expect(await outcome(name, own)).toBe(expected);
  });

  test('sees in listings which tools it may not call, and what would have to change', async () => {
    const caller = callerWith({ allow: ['mcp__fs__read', 'mcp__fs__write'], deny: ['*__write'] });
    const proxy = createToolProxy({ tools: source(), policy: {}, caller, isDirect: true });
    const { tools } = await proxy.listTools();
    expect(Object.fromEntries(tools.map(({ name, unavailable }) => [name, unavailable?.reason]))).toEqual({
      mcp__fs__read: undefined,
      mcp__fs__write: "The server's policy forbids this tool (http.clients.ci.policy.deny).",
      mcp__fs__remove: "The server's policy forbids this tool (http.clients.ci.policy.allow).",
    });
  });

  test('has no allowedTools', () => {
    expect(() => createToolProxy({ tools: source(), isDirect: true, allowedTools: ['*'] })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    );
  });
});

/** What a program of the caller is answered: `called`, or the message of the refusal. */
async function ofProgram(name: ToolName, own: CallerPolicy, allowedTools?: string[]): Promise<string> {
  const tools = source();
  const proxy = createToolProxy({
    tools,
    policy,
    caller: callerWith(own),
    executionId: 'exec_1',
    ...(allowedTools && { allowedTools }),
  });
  return proxy.callTool(name, {}).then(
    () => 'called',
    (reason: unknown) => {
      expect(CodeExecutorError.from(reason).code).toBe('permission_denied');
      expect(tools.calls).toEqual([]);
      return (reason as Error).message;
    },
  );
}

describe('a program of a caller', () => {
  const forbidden = (rule: string) => `but the server's policy forbids it (${rule}).`;
  test.each<[string, ToolName, CallerPolicy, string[] | undefined, string]>([
    ['what it asks for', 'mcp__fs__read', {}, ['mcp__fs__read'], 'called'],
    ['what its caller is allowed', 'mcp__fs__read', { allow: ['fs'] }, ['*'], 'called'],
    [
      'what its caller is allowed, where it asks for nothing',
      'mcp__fs__read',
      { allow: ['fs'] },
      undefined,
      'called',
    ],
    [
      'no more than its caller is allowed',
      'mcp__fs__write',
      { allow: ['mcp__fs__read'] },
      ['*'],
      `Tool mcp__fs__write is in allowedTools, ${forbidden('http.clients.ci.policy.allow')}`,
    ],
    [
      'nothing that is denied to its caller',
      'mcp__fs__write',
      { deny: ['*__write'] },
      ['fs'],
      `Tool mcp__fs__write is in allowedTools, ${forbidden('http.clients.ci.policy.deny')}`,
    ],
    [
      'no more than it asks for',
      'mcp__fs__write',
      { allow: ['*'] },
      ['mcp__fs__read'],
      'Tool mcp__fs__write is not in allowedTools (mcp__fs__read); add it, or the name of its server, or call only what is there.',
    ],
    [
      'nothing that the operator forbids to all',
      'mcp__fs__remove',
      { allow: ['*'] },
      ['*'],
      `Tool mcp__fs__remove is in allowedTools, ${forbidden('policy.servers.fs.deny')}`,
    ],
  ])('may call %s: %s with %j and allowedTools %j', async (_what, name, own, allowedTools, expected) => {
    expect(await ofProgram(name, own, allowedTools)).toBe(expected);
  });

  test('sees in listings which tools its caller may not call', async () => {
    const caller = callerWith({ allow: ['mcp__fs__read'] });
    const proxy = createToolProxy({ tools: source(), caller, allowedTools: ['*'], executionId: 'exec_1' });
    const { tools } = await proxy.listTools();
    expect(tools.map(({ name, unavailable }) => [name, unavailable?.reason])).toEqual([
      ['mcp__fs__read', undefined],
      ['mcp__fs__write', "The server's policy forbids this tool (http.clients.ci.policy.allow)."],
      ['mcp__fs__remove', "The server's policy forbids this tool (http.clients.ci.policy.allow)."],
    ]);
  });
});

describe('routes for several clients', () => {
  let server: HttpServer | undefined;
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
        return createToolProxy({ tools: source(), caller: callerWith({}), isDirect: true });
      },
      rateLimit: (client) => (client === 'free' ? false : { maxRequests: client === 'one' ? 1 : 2 }),
    };
    const clients = Object.fromEntries(
      ['one', 'two', 'free'].map((id) => [id, createHash('sha256').update(id).digest('hex')]),
    );
    server = await startHttpServer([toolProxyRoutes(options)], { clients });
    const statuses = async (id: string) => [await ask(id), await ask(id), await ask(id)].map((a) => a.status);
    expect(await statuses('one')).toEqual([200, 429, 429]);
    expect(await statuses('two')).toEqual([200, 200, 429]);
    expect(await statuses('free')).toEqual([200, 200, 200]);
    expect(asked).toEqual(['one', 'two', 'two', 'free', 'free', 'free']);
  });
});
