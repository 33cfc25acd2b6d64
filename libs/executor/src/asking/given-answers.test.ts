import { fakeToolSource } from '@code-executor/contracts/testing';
import { expect, test } from '@jest/globals';

import { executorOf } from '../executor-of.test.support.js';

test('an answer for a tool is none for the tool of the same name of another server', async () => {
  let server = 'a';
  const named = fakeToolSource({ mcp__a__b__c: () => 'called' });
  const tools = {
    ...named,
    listTools: async () => {
      const { tools: listed, ...rest } = await named.listTools();
      return { ...rest, tools: listed.map((tool) => ({ ...tool, server })) };
    },
    callTool: named.callTool.bind(named),
  };
  const { executor } = executorOf(
    async ({ tools: given }) => {
      await given.callTool('mcp__a__b__c', {});
      server = 'a__b';
      await given.listTools();
      await given.callTool('mcp__a__b__c', {});
      return {};
    },
    { tools, policy: { servers: { a: { ask: ['*'] }, a__b: { ask: ['*'] } } } },
  );
  const execution = executor.start({ code: 'x', allowedTools: ['mcp__a__b__c'] }, { canAsk: true });
  const first = await execution.nextQuestion();
  execution.answer(first?.id ?? '', { c1: { decision: 'run' } });
  const second = await execution.nextQuestion();
  expect(second?.calls).toMatchObject([{ toolName: 'mcp__a__b__c', server: 'a__b' }]);
  execution.answer(second?.id ?? '', { c2: { decision: 'once' } });
  expect(await execution.result).toMatchObject({ success: true });
});

test('a denied call is denied again, however its arguments are ordered', async () => {
  const tools = fakeToolSource({ mcp__a__b: () => 'called' });
  const { executor } = executorOf(
    async ({ tools: given }) => {
      const calls = [
        { path: 'x', force: { now: true, all: false } },
        { force: { all: false, now: true }, path: 'x' },
      ];
      for (const args of calls) await given.callTool('mcp__a__b', args).catch(() => undefined);
      return {};
    },
    { tools, policy: { servers: { a: { ask: ['*'] } } } },
  );
  const execution = executor.start({ code: 'x', allowedTools: ['mcp__a__b'] }, { canAsk: true });
  const question = await execution.nextQuestion();
  execution.answer(question?.id ?? '', { c1: { decision: 'denied' } });
  expect(await execution.nextQuestion()).toBeUndefined();
});
