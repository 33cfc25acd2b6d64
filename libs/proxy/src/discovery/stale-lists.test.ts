import type { ListOptions, ToolSchema } from '@code-executor/contracts';
import { describe, expect, test } from '@jest/globals';

import { createToolProxy } from '../index.js';
import { codeOf } from '../proxy.test.kit.js';

const tool = (parameters: object, server = 'fs'): ToolSchema => ({
  name: `mcp__${server}__read`,
  server,
  parameters: { type: 'object', ...parameters },
});

/** A source that lists old tools, and the current ones with `refresh`. */
function source(old: ToolSchema, present: ToolSchema) {
  const asked: ListOptions[] = [];
  const called: unknown[] = [];
  const tools = {
    listTools(options: ListOptions = {}) {
      asked.push(options);
      const known = options.refresh ? present : old;
      const all = [known, tool({}, 'other')].filter(
        ({ name, server }) => (options.name ?? name) === name && (options.server ?? server) === server,
      );
      return Promise.resolve({ tools: all, failedServers: [] });
    },
    callTool(_name: string, args: object) {
      called.push(args);
      return Promise.resolve({ content: [] });
    },
  };
  return { asked, called, proxy: createToolProxy({ tools, allowedTools: ['*'] }) };
}

describe('arguments that do not fit the list', () => {
  const old = tool({ required: ['path'] });
  const present = tool({ required: ['file'] });

  test('are checked against the current list, for which the server is asked once', async () => {
    const { proxy, asked, called } = source(old, present);
    await proxy.callTool('mcp__fs__read', { file: 'a' });
    await proxy.callTool('mcp__fs__read', { file: 'b' });
    await expect(proxy.callTool('mcp__fs__read', { path: 'c' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('file') as unknown,
    });
    expect(await codeOf(proxy.callTool('mcp__fs__read', {}))).toBe('invalid_argument');
    expect(called).toEqual([{ file: 'a' }, { file: 'b' }]);
    expect(asked).toEqual([{ name: 'mcp__fs__read' }, { name: 'mcp__fs__read', refresh: true }]);
  });

  test('are refused as before if the server has nothing new', async () => {
    const { proxy, called } = source(old, old);
    expect(await codeOf(proxy.callTool('mcp__fs__read', {}))).toBe('invalid_argument');
    await proxy.callTool('mcp__fs__read', { path: 'a' });
    expect(called).toEqual([{ path: 'a' }]);
  });
});

describe('a listing of one server', () => {
  test('asks no other server', async () => {
    const { proxy, asked } = source(tool({}), tool({}));
    const namesOf = async (server: string) =>
      (await proxy.listTools({ server })).tools.map(({ name }) => name);
    expect([await namesOf('fs'), await namesOf('absent')]).toEqual([['mcp__fs__read'], []]);
    expect(asked).toEqual([{ server: 'fs' }, { server: 'absent' }]);
  });
});

describe('a server that could not be listed', () => {
  test('is reported as it was last found', async () => {
    const answers = [
      { tools: [], failedServers: [{ server: 'fs', reason: 'it is still starting', fix: 'Wait.' }] },
      { tools: [], failedServers: [{ server: 'fs', reason: 'it exited with code 3', fix: 'See the log.' }] },
      { tools: [tool({})], failedServers: [] },
    ];
    const tools = {
      listTools: () => Promise.resolve(answers.shift() ?? { tools: [], failedServers: [] }),
      callTool: () => Promise.resolve({ content: [] }),
    };
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    const reasons = async () => {
      await proxy.listTools();
      return proxy.failedServers.map(({ reason }) => reason);
    };
    expect(await reasons()).toEqual(['it is still starting']);
    expect(await reasons()).toEqual(['it exited with code 3']);
    expect(await reasons()).toEqual([]);
  });

  test('is reported as it was last found, also if single tools are called', async () => {
    let now = '';
    const tools = {
      listTools: () =>
        Promise.resolve({
          tools: [],
          failedServers: [{ server: 'fs', reason: now, fix: 'See the log.' }],
        }),
      callTool: () => Promise.resolve({ content: [] }),
    };
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    for (const reason of ['it is still starting', 'it exited with code 3']) {
      now = reason;
      await expect(proxy.callTool('mcp__fs__read', {})).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(reason) as unknown,
      });
      expect(proxy.failedServers.map((failure) => failure.reason)).toEqual([reason]);
    }
  });
});
