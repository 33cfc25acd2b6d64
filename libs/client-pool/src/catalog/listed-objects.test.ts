import type { ToolSchema } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import { ClientPool } from '../client-pool.js';
import { definitionKey } from './definition-key.js';

const servers = { a: { command: 'no-such-command-a' }, b: { command: 'no-such-command-b' } };

/** A pool that reads the tools of both servers from a cache, as new values each time, and starts nothing. */
function pooled(tools: Record<keyof typeof servers, string[]>) {
  const namesOf = new Map([
    [definitionKey('a', servers.a), () => tools.a],
    [definitionKey('b', servers.b), () => tools.b],
  ]);
  const getOrLoad = (key: string) => {
    const names = namesOf.get(key)?.() ?? [];
    return Promise.resolve({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  };
  return new ClientPool({ servers, cache: { getOrLoad } });
}

const named = (tools: readonly ToolSchema[], name: string) => tools.find((tool) => tool.name === name);

test('lists the same array and the same tools as long as what they say is the same', async () => {
  const pool = pooled({ a: ['x', 'y'], b: ['z'] });
  const first = await pool.listTools();
  const second = await pool.listTools();
  const one = await pool.listTools({ name: 'mcp__a__x' });
  expect(second.tools).toBe(first.tools);
  expect(one.tools[0]).toBe(first.tools[0]);
  await pool.close();
});

test('lists other objects for the tools of a server that has changed, and leaves those before as they were', async () => {
  const tools = { a: ['x', 'y'], b: ['z'] };
  const pool = pooled(tools);
  const { tools: before } = await pool.listTools();
  tools.a = ['x', 'w'];
  const { tools: after } = await pool.listTools();
  expect(after).not.toBe(before);
  expect(after.map(({ name }) => name)).toEqual(['mcp__a__w', 'mcp__a__x', 'mcp__b__z']);
  expect(before.map(({ name }) => name)).toEqual(['mcp__a__x', 'mcp__a__y', 'mcp__b__z']);
  expect(named(after, 'mcp__a__x')).not.toBe(named(before, 'mcp__a__x'));
  expect(named(after, 'mcp__b__z')).toBe(named(before, 'mcp__b__z'));
  await pool.close();
});
