import { type ToolSchema, silentLogger } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import { ToolCatalog } from './tool-catalog.js';
import { SessionCache } from './tool-list-cache.js';

test('a change announced while the tools are listed again is not lost', async () => {
  const lists: string[] = [];
  const catalog = new ToolCatalog({
    name: 'a',
    server: { command: 'a' },
    cache: new SessionCache(),
    discoveryTimeoutMs: 10_000,
    logger: silentLogger,
    list: async () => {
      await Promise.resolve();
      const name = `t${lists.push('list')}`;
      const schema: ToolSchema = { name: `mcp__a__${name}`, server: 'a', parameters: {} };
      if (name === 't2') catalog.markChanged();
      return { tools: new Map([[name, schema]]) };
    },
  });
  const names = async () => {
    const tools = await catalog.current({ isRetryDue: false, untilReady: false });
    return [...(tools?.keys() ?? [])];
  };
  expect(await names()).toEqual(['t1']);
  await catalog.refresh();
  expect(await names()).toEqual(['t3']);
});

test('a server that announces changes all the time is listed at longer and longer intervals', async () => {
  let lists = 0;
  const catalog = new ToolCatalog({
    name: 'a',
    server: { command: 'a' },
    cache: new SessionCache(),
    discoveryTimeoutMs: 10,
    logger: silentLogger,
    list: () => Promise.resolve({ tools: new Map<string, ToolSchema>() }).finally(() => lists++),
  });
  const flood = setInterval(() => catalog.markChanged(), 5);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  clearInterval(flood);
  expect(lists).toBeGreaterThan(1);
  expect(lists).toBeLessThan(7);
});
