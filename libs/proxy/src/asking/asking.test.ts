import {
  type ApprovalOutcome,
  type ApprovalRequest,
  type AuditEvent,
  type Caller,
  CodeExecutorError,
  type HookedCall,
  type HookVerdict,
} from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { approvalFor, createToolProxy, type ToolPolicy, type ToolProxyOptions } from '../index.js';

const source = () =>
  fakeToolSource({
    mcp__fs__read: () => 'content',
    mcp__fs__write: () => 'written',
    mcp__fs__remove: () => 'removed',
  });

const policy: ToolPolicy = { servers: { fs: { ask: ['remove', 'mcp__fs__wr*'] } } };
const caller: Caller = { id: 'ci', kind: 'http' };

/** A proxy whose person always gives the same answer. */
function proxyWith(options: Omit<ToolProxyOptions, 'tools'>, outcome?: ApprovalOutcome) {
  const asked: ApprovalRequest[] = [];
  const events: AuditEvent[] = [];
  const tools = source();
  const proxy = createToolProxy({
    tools,
    allowedTools: ['fs'],
    audit: (event) => void events.push(event),
    ...(outcome && {
      approve: (request) => {
        asked.push(request);
        return Promise.resolve(outcome);
      },
    }),
    ...options,
  });
  const decisions = () => events.filter(({ type }) => type === 'ask' || type === 'hook');
  return { proxy, asked, decisions, made: () => tools.calls.map(({ name }) => name) };
}

/** The failure of a call; undefined if it has none. */
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (reason: unknown) => {
      const { code, message, tool, server } = CodeExecutorError.from(reason);
      return { code, message, tool, server };
    },
  );

describe('a call that a person has to agree to', () => {
  test.each<ApprovalOutcome>(['once', 'run', 'times'])('is made if the answer is %s', async (outcome) => {
    const { proxy, asked, decisions, made } = proxyWith({ policy }, outcome);
    await proxy.callTool('mcp__fs__remove', { path: 'a' });
    const call = { toolName: 'mcp__fs__remove', server: 'fs' };
    expect(asked).toEqual([{ ...call, args: { path: 'a' }, why: 'policy.servers.fs.ask' }]);
    expect(made()).toEqual(['mcp__fs__remove']);
    expect(decisions()).toMatchObject([
      { type: 'ask', action: outcome, status: 'success', ...call, paramsHash: expect.any(String) as unknown },
    ]);
  });

  test.each<[ApprovalOutcome, string, string, string]>([
    [
      'denied',
      'permission_denied',
      'rejected',
      'A person was asked about this call of mcp__fs__write and did not allow it. Do not try to reach the same in another way; ask the user how to go on.',
    ],
    [
      'cancelled',
      'cancelled',
      'failure',
      'The question whether mcp__fs__write may be called was dismissed without an answer. Ask the user before you call it again.',
    ],
    [
      'timed_out',
      'deadline_exceeded',
      'failure',
      'No one answered in time whether mcp__fs__write may be called. Call it again when somebody is there to answer.',
    ],
    [
      'unsupported',
      'failed_precondition',
      'failure',
      'A person must agree to calls of mcp__fs__write (policy.servers.fs.ask), but no one can be asked here. Use another tool, or a client that can ask its user; the operator can change the rule.',
    ],
  ])('is refused if the answer is %s', async (outcome, code, status, message) => {
    const { proxy, decisions, made } = proxyWith({ policy }, outcome);
    const failure = await failureOf(proxy.callTool('mcp__fs__write', {}));
    expect(failure).toEqual({ code, message, tool: 'mcp__fs__write', server: 'fs' });
    expect(made()).toEqual([]);
    expect(decisions()).toMatchObject([{ type: 'ask', action: outcome, status }]);
  });

  test('is refused if nobody can be asked', async () => {
    const { proxy, decisions } = proxyWith({ policy });
    expect(await failureOf(proxy.callTool('mcp__fs__remove', {}))).toMatchObject({
      code: 'failed_precondition',
    });
    expect(decisions()).toMatchObject([{ type: 'ask', action: 'unsupported', status: 'failure' }]);
  });

  test('is refused if the answer is unknown', async () => {
    const { proxy, made } = proxyWith({ policy }, 'yes' as ApprovalOutcome);
    expect(await failureOf(proxy.callTool('mcp__fs__remove', {}))).toBeDefined();
    expect(made()).toEqual([]);
  });

  test('is not asked about if it would be refused anyway', async () => {
    const denied = { servers: { fs: { ask: ['*'], deny: ['remove'] } } };
    const { proxy, asked } = proxyWith({ policy: denied, budget: { maxCalls: 1 } }, 'once');
    expect(await failureOf(proxy.callTool('mcp__fs__remove', {}))).toMatchObject({
      code: 'permission_denied',
    });
    expect(await failureOf(proxy.callTool('mcp__fs__read', {}))).toBeUndefined();
    expect(await failureOf(proxy.callTool('mcp__fs__read', {}))).toMatchObject({
      code: 'resource_exhausted',
    });
    expect(asked).toHaveLength(1);
  });

  test('can also be named by the policy of its caller, with whole servers and patterns', async () => {
    const careful = { ...caller, policy: { ask: ['fs'] } };
    const { proxy, asked } = proxyWith({ policy, caller: careful }, 'once');
    await proxy.callTool('mcp__fs__read', {});
    await proxy.callTool('mcp__fs__remove', {});
    expect(asked.map(({ why }) => why)).toEqual(['http.clients.ci.policy.ask', 'policy.servers.fs.ask']);
  });

  test('is marked in listings, also if nobody can be asked', async () => {
    const marks = async (outcome?: ApprovalOutcome) => {
      const { tools } = await proxyWith({ policy }, outcome).proxy.listTools({ detail: 'brief' });
      return tools.map(({ name, asks, unavailable }) => [name, asks, unavailable]);
    };
    const unavailable = {
      reason: 'A person must agree to each call (policy.servers.fs.ask), and no one can be asked here.',
      fix: 'Use another tool, or a client that can ask its user.',
    };
    expect(await marks('once')).toEqual([
      ['mcp__fs__read', undefined, undefined],
      ['mcp__fs__write', true, undefined],
      ['mcp__fs__remove', true, undefined],
    ]);
    expect(await marks()).toEqual([
      ['mcp__fs__read', undefined, undefined],
      ['mcp__fs__write', undefined, unavailable],
      ['mcp__fs__remove', undefined, unavailable],
    ]);
  });
});

describe('a hook', () => {
  /** The failure of a call about which the hook decides this way. */
  const decided = async (verdict: HookVerdict | Error, outcome?: ApprovalOutcome) => {
    const seen: HookedCall[] = [];
    const hook = (call: HookedCall) => {
      seen.push(call);
      return verdict instanceof Error ? Promise.reject(verdict) : Promise.resolve(verdict);
    };
    const proxy = proxyWith({ hook, caller, executionId: 'exec_1' }, outcome);
    return { failure: await failureOf(proxy.proxy.callTool('mcp__fs__read', { path: 'a' })), seen, ...proxy };
  };

  test('sees caller, tool, arguments and execution, and can allow the call', async () => {
    const { failure, seen, decisions } = await decided({ decision: 'allow' });
    expect(failure).toBeUndefined();
    expect(seen).toEqual([
      { toolName: 'mcp__fs__read', server: 'fs', args: { path: 'a' }, caller, executionId: 'exec_1' },
    ]);
    expect(decisions()).toMatchObject([
      { type: 'hook', action: 'allow', status: 'success', executionId: 'exec_1' },
    ]);
  });

  test('can refuse the call, with a reason that steers no terminal', async () => {
    const { failure, decisions, made } = await decided({ decision: 'deny', reason: 'not\u001b[31m now' });
    expect(failure).toEqual({
      code: 'permission_denied',
      message: 'The hook of the server (policy.hook) refused this call of mcp__fs__read: not�[31m now',
      tool: 'mcp__fs__read',
      server: 'fs',
    });
    expect([made(), decisions()]).toMatchObject([[], [{ action: 'deny', status: 'rejected' }]]);
  });

  test('can have a person asked, and says why', async () => {
    const { failure, asked, decisions } = await decided({ decision: 'ask', reason: 'It is Friday.' }, 'once');
    expect(failure).toBeUndefined();
    expect(asked).toMatchObject([{ toolName: 'mcp__fs__read', why: 'It is Friday.' }]);
    expect(decisions()).toMatchObject([
      { type: 'hook', action: 'ask' },
      { type: 'ask', action: 'once' },
    ]);
    expect((await decided({ decision: 'ask' }, 'once')).asked).toMatchObject([{ why: 'policy.hook' }]);
  });

  test.each<[string, HookVerdict | Error]>([
    ['fails', new Error('secret')],
    ['gives no verdict', { decision: 'failed' } as unknown as HookVerdict],
  ])('refuses the call if it %s', async (_name, verdict) => {
    const { failure, decisions, made } = await decided(verdict);
    expect(failure).toEqual({
      code: 'unavailable',
      message:
        'mcp__fs__read was not called because the hook of the server (policy.hook) gave no verdict. Try again later; the log says what is wrong.',
      tool: 'mcp__fs__read',
      server: 'fs',
    });
    expect([made(), decisions()]).toMatchObject([[], [{ action: 'failed', status: 'failure' }]]);
  });

  test('is not waited for after the end of the execution', async () => {
    const stop = new AbortController();
    const { proxy, made } = proxyWith({ hook: () => new Promise(() => {}), signal: stop.signal });
    const failure = failureOf(proxy.callTool('mcp__fs__read', {}));
    await new Promise(setImmediate);
    stop.abort();
    expect(await failure).toMatchObject({ code: 'cancelled' });
    expect(made()).toEqual([]);
  });
});

describe('a program of one of the own tools', () => {
  test.each<[string, readonly string[] | undefined, readonly string[] | undefined, string | undefined]>([
    ['executePython', undefined, undefined, undefined],
    ['executePython', ['executePython'], undefined, 'policy.ask'],
    ['executePython', ['execute*'], ['*'], 'policy.ask'],
    ['executePython', ['executeTypescript'], ['execute*'], 'http.clients.ci.policy.ask'],
    ['executePython', [], ['mcp__fs__*'], undefined],
  ])('as %s needs a person with policy.ask %j and %j of its caller: %s', (toolName, ask, own, why) => {
    const asking = { ...caller, ...(own && { policy: { ask: own } }) };
    expect(approvalFor(toolName, ask && { ask }, asking)).toEqual(why && { toolName, why });
  });
});
