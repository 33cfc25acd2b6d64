import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { JsonSchema } from '@code-executor/contracts';
import { fakeToolSource } from '@code-executor/contracts/testing';
import { describe, expect, jest, test } from '@jest/globals';

import { createToolProxy } from '../index.js';
import { check, parameters } from './validation.test.support.js';

describe('validation of arguments', () => {
  const circular: JsonSchema = { type: 'object' };
  circular['self'] = circular;
  let deep: JsonSchema = { type: 'string' };
  for (let i = 0; i < 20_000; i++) deep = { not: deep };

  test('checks that need a clock share one processor time in an execution', async () => {
    const parameters = { properties: { a: { pattern: '^(a+)+$' } } };
    const tools = fakeToolSource(
      { mcp__fs__read: () => 'ok', mcp__fs__new: () => 'ok' },
      { mcp__fs__read: { parameters } },
    );
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    const call = (a: string) =>
      proxy.callTool('mcp__fs__read', { a }).then(
        () => 'called',
        (error: unknown) => (error as Error).message,
      );
    const told: string[] = [];
    // 5 s, in parts of 250 ms.
    while (told.length < 60 && !told.at(-1)?.includes('used up')) told.push(await call(`${'a'.repeat(60)}!`));
    expect(told.at(-1)).toContain('have used up their processor time');
    expect(await call('a')).toContain('have used up their processor time');
    // A schema that was not used before would have to be compiled.
    await expect(proxy.callTool('mcp__fs__new', {})).rejects.toThrow('have used up their processor time');
    const another = createToolProxy({ tools, allowedTools: ['*'] });
    await expect(another.callTool('mcp__fs__read', { a: 'a' })).resolves.toBeDefined();
  });

  test('arguments made to fail in millions of ways neither fill the memory nor stop the server', async () => {
    const branches = Array.from({ length: 100 }, (_, i) => ({ const: i }));
    const schema = { properties: { a: { type: 'array', items: { anyOf: branches } } } };
    const tools = fakeToolSource({ mcp__fs__read: () => 'ok' }, { mcp__fs__read: { parameters: schema } });
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    // A million errors and more.
    const args = { a: Array.from({ length: 500_000 }, () => 'x') };
    await expect(proxy.callTool('mcp__fs__read', args)).rejects.toMatchObject({ code: 'resource_exhausted' });
    expect(await check(schema, { a: ['x'] })).toContain('a[0]: expected');
  });

  test('thousands of problems are explained as fast as five', async () => {
    const schema = {
      properties: { a: { type: 'array', items: { anyOf: [{ type: 'string' }, { const: 1 }] } } },
    };
    const told = await check(schema, { a: Array.from({ length: 2000 }, () => false) });
    expect(told).toContain('a[4]: expected string | 1, received boolean false; and ');
    expect(told.length).toBeLessThan(500);
  });

  test('says that the machine is too busy if a check had no processor time, and when to try again', async () => {
    const tools = fakeToolSource(
      { mcp__fs__read: () => 'ok' },
      { mcp__fs__read: { parameters: { properties: { a: { pattern: '^(a+)+$' } } } } },
    );
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    await proxy.callTool('mcp__fs__read', {});
    // As if other processes had the processors all the time.
    const usage = jest.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
    try {
      await expect(proxy.callTool('mcp__fs__read', { a: `${'a'.repeat(60)}!` })).rejects.toMatchObject({
        code: 'unavailable',
        message: 'The arguments of mcp__fs__read were not checked: the machine is too busy.',
        retryAfterMs: 1000,
        tool: 'mcp__fs__read',
        server: 'fs',
      });
    } finally {
      usage.mockRestore();
    }
    expect(tools.calls).toHaveLength(1);
  });

  test('keeps no arguments that were refused', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const tools = fakeToolSource({ mcp__fs__read: () => 'ok' }, { mcp__fs__read: { parameters } });
    const proxy = createToolProxy({ tools, allowedTools: ['*'] });
    const refuse = async () => {
      const args = { path: { large: 'x'.repeat(1000) } };
      await proxy.callTool('mcp__fs__read', args).catch(() => undefined);
      return new WeakRef(args.path);
    };
    const kept = await refuse();
    // The target of a new WeakRef stays until the turn of the event loop ends.
    await new Promise(setImmediate);
    collect();
    expect(kept.deref()).toBeUndefined();
  });

  test('harmless patterns keep working', async () => {
    const schema = { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false };
    expect(await check(schema, { 'x-a': 1 })).toBe('called');
    expect(await check(schema, { 'x-a': 'b' })).toContain('x-a: expected number, received string "b"');
    expect(await check(schema, { y: 1 })).toContain('y: expected no such parameter, received number 1');
  });
});
