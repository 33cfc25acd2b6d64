import { CodeExecutorError } from '../error.js';
import type { ListOptions, ToolHit, ToolName, ToolSource } from '../tool.js';
import { jestGlobals } from './jest-globals.js';

/** A source under test, and how to end it. */
export interface ToolSourceFixture {
  source: ToolSource<ToolHit>;
  close?: () => Promise<void>;
}

/**
 * The suite that every `ToolSource` must pass. The source offers server `test` with two tools:
 * `echo`, which answers structured content `{ text }` for its argument `text`, and `fail`, which
 * answers an `isError` result with the text `it failed`.
 */
export function describeToolSource(name: string, create: () => Promise<ToolSourceFixture>): void {
  const { afterAll, beforeAll, describe, expect, test } = jestGlobals();
  describe(`${name} as a ToolSource`, () => {
    let fixture: ToolSourceFixture;
    beforeAll(async () => {
      fixture = await create();
    });
    afterAll(async () => {
      await fixture.close?.();
    });

    test('lists both tools with name, server and parameters, and no failed server', async () => {
      const { tools, failedServers } = await fixture.source.listTools();
      expect(tools.map((tool) => tool.name).sort()).toEqual(['mcp__test__echo', 'mcp__test__fail']);
      for (const tool of tools) {
        expect(tool.server).toBe('test');
        expect(tool.parameters).toMatchObject({ type: 'object' });
      }
      expect(failedServers).toEqual([]);
    });

    test('lists exactly the tool asked for by name, and nothing for an unknown name', async () => {
      const { tools } = await fixture.source.listTools({ name: 'mcp__test__fail' });
      expect(tools.map((tool) => tool.name)).toEqual(['mcp__test__fail']);
      expect((await fixture.source.listTools({ name: 'mcp__test__absent' })).tools).toEqual([]);
      expect((await fixture.source.listTools({ name: 'no name at all' })).tools).toEqual([]);
    });

    test('narrows a listing by server, offset and limit', async () => {
      const names = async (options: ListOptions) =>
        (await fixture.source.listTools(options)).tools.map((tool) => tool.name);
      const all = await names({});
      expect(await names({ limit: 1 })).toEqual(all.slice(0, 1));
      expect(await names({ limit: 1, offset: 1 })).toEqual(all.slice(1, 2));
      expect(await names({ server: 'test' })).toEqual(all);
      expect(await names({ server: 'absent' })).toEqual([]);
    });

    test('resolves a call with the whole result', async () => {
      const result = await fixture.source.callTool('mcp__test__echo', { text: 'grüß 🎈' });
      expect(result.structuredContent).toEqual({ text: 'grüß 🎈' });
      expect(result.isError ?? false).toBe(false);
    });

    test('keeps isError as part of the result', async () => {
      const result = await fixture.source.callTool('mcp__test__fail', {});
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'it failed' }] });
    });

    test.each(['mcp__test__absent', 'mcp__absent__echo', 'echo', '__proto__', ''])(
      'rejects the unknown tool %j with not_found',
      async (tool) => {
        const error: unknown = await fixture.source
          .callTool(tool as ToolName, {})
          .catch((reason: unknown) => reason);
        expect(CodeExecutorError.is(error) && error.code).toBe('not_found');
      },
    );

    test('rejects a call whose signal has fired', async () => {
      const call = fixture.source.callTool('mcp__test__echo', { text: 'x' }, { signal: AbortSignal.abort() });
      const error = CodeExecutorError.from(await call.catch((reason: unknown) => reason));
      expect(error.code).toBe('cancelled');
    });
  });
}
