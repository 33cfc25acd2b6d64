import { type CallerPolicy, CodeExecutorError, type ToolName } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy, type ToolPolicy, type ToolProxyOptions } from '../index.js';

const source = () =>
  fakeToolSource({
    mcp__fs__read: () => 'content',
    mcp__fs__write: () => 'written',
    mcp__github__search: () => [],
  });

type Case = Omit<ToolProxyOptions, 'tools'>;

/** What a caller calls by itself. */
const callerWith = (policy: CallerPolicy): Case => ({
  caller: { id: 'c', kind: 'http', policy },
  isDirect: true,
});

async function outcome(name: unknown, options: Case): Promise<string> {
  const tools = source();
  const call = createToolProxy({ ...options, tools }).callTool(name as ToolName, {});
  const error: unknown = await call.then(
    () => 'called',
    (reason: unknown) => reason,
  );
  if (error === 'called') {
    expect(tools.calls).toHaveLength(1);
    return 'called';
  }
  expect(tools.calls).toEqual([]);
  return CodeExecutorError.from(error).code;
}

describe('allowedTools', () => {
  test.each<[string, Case, string]>([
    ['omitted', {}, 'permission_denied'],
    ['empty', { allowedTools: [] }, 'permission_denied'],
    [
      'empty, over a default',
      { allowedTools: [], policy: { defaultAllowedTools: ['*'] } },
      'permission_denied',
    ],
    ['the exact name', { allowedTools: ['mcp__fs__read'] }, 'called'],
    ['another name', { allowedTools: ['mcp__fs__write'] }, 'permission_denied'],
    ['a glob', { allowedTools: ['mcp__fs__*'] }, 'called'],
    ['a glob of another server', { allowedTools: ['mcp__github__*'] }, 'permission_denied'],
    ['everything', { allowedTools: ['*'] }, 'called'],
    ['its server', { allowedTools: ['fs'] }, 'called'],
    ['its server, as the default', { policy: { defaultAllowedTools: ['fs'] } }, 'called'],
    ['its server, as the ceiling', { allowedTools: ['*'], policy: { ceiling: ['fs'] } }, 'called'],
    ['another server', { allowedTools: ['github'] }, 'permission_denied'],
    [
      'another server as the ceiling',
      { allowedTools: ['*'], policy: { ceiling: ['github'] } },
      'permission_denied',
    ],
    ['the beginning of its server', { allowedTools: ['f'] }, 'permission_denied'],
    ['its server in capitals', { allowedTools: ['FS'] }, 'permission_denied'],
    ['its server with a blank', { allowedTools: ['fs '] }, 'permission_denied'],
    ['its server with a prefix', { allowedTools: ['mcp__fs'] }, 'permission_denied'],
    ['its own name', { allowedTools: ['read'] }, 'permission_denied'],
    ['a server denied to the client', callerWith({ allow: ['*'], deny: ['fs'] }), 'permission_denied'],
    ['a server given to the client', callerWith({ allow: ['fs'] }), 'called'],
    ['omitted, with a default', { policy: { defaultAllowedTools: ['mcp__fs__*'] } }, 'called'],
    ['a regular expression', { allowedTools: ['mcp__fs__.+', '/read/'] }, 'permission_denied'],
  ])('%s: %j gives %s', async (_name, options, code) => {
    expect(await outcome('mcp__fs__read', options)).toBe(code);
  });

  test('takes the name of a server for its tools alone, however names can be read', async () => {
    const tools = () =>
      fakeToolSource(
        { mcp__pay__prod__refund: () => 'of pay__prod', mcp__pay__list: () => 'of pay' },
        { mcp__pay__prod__refund: { server: 'pay__prod' } },
      );
    const outcomeOf = (name: ToolName, options: Case) =>
      createToolProxy({ ...options, tools: tools() })
        .callTool(name, {})
        .then(
          () => 'called',
          (reason: unknown) => CodeExecutorError.from(reason).code,
        );
    const refund = 'mcp__pay__prod__refund';
    expect(await outcomeOf(refund, { allowedTools: ['pay'] })).toBe('permission_denied');
    expect(await outcomeOf(refund, { allowedTools: ['mcp__pay__*'] })).toBe('called');
    expect(await outcomeOf(refund, { allowedTools: ['pay__prod'] })).toBe('called');
    expect(await outcomeOf('mcp__pay__list', { allowedTools: ['pay'] })).toBe('called');
    const all = ['*'];
    expect(await outcomeOf(refund, { allowedTools: all, policy: { ceiling: ['pay'] } })).toBe(
      'permission_denied',
    );
    const client = (deny: string) => callerWith({ allow: all, deny: [deny] });
    expect(await outcomeOf(refund, client('pay'))).toBe('called');
    expect(await outcomeOf(refund, client('pay__prod'))).toBe('permission_denied');
  });

  test.each([
    ['upper case', 'MCP__FS__READ'],
    ['trailing space', 'mcp__fs__read '],
    ['leading space', ' mcp__fs__read'],
    ['trailing dot', 'mcp__fs__read.'],
    ['trailing NUL', 'mcp__fs__read\0'],
    ['newline', 'mcp__fs__read\n'],
    ['full-width letters', 'mcp__fs__ｒｅａｄ'],
    ['Cyrillic look-alike', 'mcp__fs__reаd'],
    ['decomposed letters', 'mcp__fs__réad'.normalize('NFD')],
    ['zero-width space', 'mcp__fs__re\u200bad'],
    ['percent escape', 'mcp__fs__%72ead'],
    ['empty', ''],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['a name longer than any tool has', `mcp__fs__${'x'.repeat(300)}`],
    ['an array', ['mcp__fs__read']],
    ['an object with toString', { toString: () => 'mcp__fs__read' }],
    ['a String object', Object('mcp__fs__read')],
    ['null', null],
    ['undefined', undefined],
    ['a number', 7],
  ])('matches exactly: %s is denied', async (_name, name) => {
    const policy = { servers: { fs: { allow: ['read'] } } };
    expect(await outcome(name, { allowedTools: ['mcp__fs__read'], policy })).toBe('permission_denied');
  });

  test('denies values that are not names even if everything is allowed', async () => {
    for (const name of [['mcp__fs__read'], { toString: () => 'mcp__fs__read' }, null, 'x'.repeat(257)]) {
      expect(await outcome(name, { allowedTools: ['*'] })).toBe('permission_denied');
    }
  });

  test('composed and decomposed forms of one name stay two names', async () => {
    const composed = 'mcp__fs__réad'.normalize('NFC');
    const tools = fakeToolSource({ [composed]: () => 'x' });
    const proxy = createToolProxy({ tools, allowedTools: [composed] });
    await proxy.callTool(composed as ToolName, {});
    await expect(proxy.callTool(composed.normalize('NFD') as ToolName, {})).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  test.each<[unknown, string]>([
    [[7], 'allowedTools must hold tool names, not number 7.'],
    ['mcp__fs__read', 'allowedTools must be a list of tool names, not string "mcp__fs__read".'],
    [['x'.repeat(257)], 'allowedTools has an entry of 257 characters; no tool name is longer than 256.'],
    [
      Array.from({ length: 1001 }, () => 'a'),
      'allowedTools has 1001 entries; shorten it to 1000, or use patterns like mcp__server__*.',
    ],
    [
      Array.from({ length: 101 }, () => '*'),
      'allowedTools has more than 100 patterns with *; name the tools or use fewer, wider patterns.',
    ],
  ])('refuses the malformed list %#', (allowedTools, message) => {
    const create = () => createToolProxy({ tools: source(), allowedTools: allowedTools as string[] });
    expect(create).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });
});

describe('policy', () => {
  const all = ['*'];
  test.each<[string, ToolPolicy, string]>([
    ['a ceiling that has the tool', { ceiling: ['mcp__fs__*'] }, 'called'],
    ['a ceiling without the tool', { ceiling: ['mcp__github__*'] }, 'permission_denied'],
    ['an empty ceiling', { ceiling: [] }, 'permission_denied'],
    ['allow of its server', { servers: { fs: { allow: ['re*'] } } }, 'called'],
    ['allow of another tool', { servers: { fs: { allow: ['write'] } } }, 'permission_denied'],
    ['allow of its full name', { servers: { fs: { allow: ['mcp__fs__read'] } } }, 'called'],
    ['allow of another full name', { servers: { fs: { allow: ['mcp__fs__write'] } } }, 'permission_denied'],
    [
      'allow of a glob that only full names match',
      { servers: { fs: { allow: ['*fs__*'] } } },
      'permission_denied',
    ],
    ['deny of its full name', { servers: { fs: { deny: ['mcp__fs__read'] } } }, 'permission_denied'],
    ['deny of a glob of full names', { servers: { fs: { deny: ['mcp__*__re*'] } } }, 'permission_denied'],
    ['deny of a full name of another server', { servers: { fs: { deny: ['mcp__gh__read'] } } }, 'called'],
    ['deny', { servers: { fs: { deny: ['read'] } } }, 'permission_denied'],
    ['deny over allow', { servers: { fs: { allow: ['read'], deny: ['r*'] } } }, 'permission_denied'],
    ['deny under a ceiling', { ceiling: all, servers: { fs: { deny: ['*'] } } }, 'permission_denied'],
    ['deny of another tool', { servers: { fs: { deny: ['write'] } } }, 'called'],
    ['rules of another server', { servers: { github: { allow: [], deny: ['*'] } } }, 'called'],
    ['a default beyond the ceiling', { ceiling: [], defaultAllowedTools: all }, 'permission_denied'],
    [
      'a server named __proto__',
      { servers: JSON.parse('{"__proto__":{"deny":["*"]}}') as object as never },
      'called',
    ],
  ])('%s: %j', async (_name, policy, code) => {
    for (const allowedTools of [all, ['mcp__*'], ['mcp__fs__read']]) {
      expect(await outcome('mcp__fs__read', { allowedTools, policy })).toBe(code);
    }
  });

  test('does not widen what the caller asked for', async () => {
    const policy = { ceiling: ['*'], defaultAllowedTools: ['*'], servers: { fs: { allow: ['*'] } } };
    expect(await outcome('mcp__fs__write', { allowedTools: ['mcp__fs__read'], policy })).toBe(
      'permission_denied',
    );
  });

  test('denies a name that any configured server would forbid, however it is read', async () => {
    const tools = fakeToolSource({ mcp__a__b__c: () => 'x' }, { mcp__a__b__c: { server: 'a__b' } });
    const call = (policy: ToolPolicy) =>
      createToolProxy({ tools, allowedTools: ['*'], policy }).callTool('mcp__a__b__c', {});
    const denied = { code: 'permission_denied' };
    await expect(call({ servers: { a: { deny: ['b__c'] } } })).rejects.toMatchObject(denied);
    await expect(call({ servers: { a__b: { deny: ['c'] } } })).rejects.toMatchObject(denied);
    await expect(call({ servers: { a: { deny: ['c'] }, a__b: { deny: ['b__c'] } } })).resolves.toBeDefined();
  });

  test('uses the server that the source names if the name is ambiguous', async () => {
    const tools = fakeToolSource({ mcp__alias__read: () => 'x' }, { mcp__alias__read: { server: 'fs' } });
    const policy = { servers: { fs: { deny: ['write'] } } };
    const proxy = createToolProxy({ tools, allowedTools: ['*'], policy });
    await expect(proxy.callTool('mcp__alias__read', {})).rejects.toMatchObject({ code: 'permission_denied' });
    expect(tools.calls).toEqual([]);
  });
});
