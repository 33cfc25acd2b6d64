import { afterEach, expect, test } from '@jest/globals';

import { executorOf } from '../executor-of.test.support.js';
import type { CallAnswer, Executor } from '../index.js';

const approval = { toolName: 'executeTypescript', why: 'policy.ask' };

const open: Executor[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((executor) => executor.close()));
});

/** Starts a program that a person has to agree to. */
function start(maxQueued = 10) {
  const runs: string[] = [];
  const { executor } = executorOf(
    ({ code }) => {
      runs.push(code);
      return {};
    },
    { queue: { maxConcurrent: 1, maxQueued } },
  );
  open.push(executor);
  const request = { code: 'launch()', timeoutMs: 1000 };
  return { executor, runs, request, execution: executor.start(request, { canAsk: true, approval }) };
}

test('a program that a person has to agree to starts only after the answer', async () => {
  const { execution, request, runs, executor } = start();
  const question = await execution.nextQuestion();
  expect(question?.calls).toEqual([{ key: 'c1', ...approval, args: request }]);
  expect([execution.state, runs, executor.stats.running]).toEqual(['waiting', [], 0]);
  execution.answer('q1', { c1: { decision: 'once' } });
  expect(await execution.result).toMatchObject({ success: true });
  expect(runs).toEqual(['launch()']);
});

test.each<[CallAnswer['decision'], string]>([
  ['denied', 'permission_denied'],
  ['cancelled', 'cancelled'],
])('a program that is %s does not start', async (decision, errorCode) => {
  const { execution, runs } = start();
  await execution.nextQuestion();
  execution.answer('q1', { c1: { decision } as CallAnswer });
  expect(await execution.result).toMatchObject({ success: false, errorCode });
  expect(runs).toEqual([]);
});

test('a program that needs an answer does not start if nobody can be asked', async () => {
  const { executor, request, runs } = start();
  expect(await executor.execute(request, { approval })).toMatchObject({
    errorCode: 'failed_precondition',
    error:
      'A person must agree to calls of executeTypescript (policy.ask), but no one can be asked here. Use another tool, or a client that can ask its user; the operator can change the rule.',
  });
  expect(runs).toEqual([]);
});

test('the programs of one caller take a quarter of the places for those that wait for a person', async () => {
  const { executor, request } = start();
  const startOf = (id: string) =>
    executor.start(request, { canAsk: true, approval, caller: { id, kind: 'http' } });
  const ofAda = Array.from({ length: 4 }, () => startOf('ada'));
  expect(await ofAda[3]?.result).toMatchObject({
    errorCode: 'unavailable',
    error: '3 of your programs wait for a person already; try again when they have been answered.',
  });
  expect(await startOf('bob').nextQuestion()).toBeDefined();
  ofAda[0]?.cancel();
  await ofAda[0]?.result;
  expect(await startOf('ada').nextQuestion()).toBeDefined();
});

test('a wrong request is refused before anybody is asked', async () => {
  const { executor } = start();
  const execution = executor.start({ code: '' }, { canAsk: true, approval });
  expect(await execution.nextQuestion()).toBeUndefined();
  expect(await execution.result).toMatchObject({ errorCode: 'invalid_argument' });
});

test('no more programs wait for an answer than may wait for their turn', async () => {
  const { executor, execution, request } = start(1);
  await execution.nextQuestion();
  expect(await executor.execute(request, { canAsk: true, approval })).toMatchObject({
    errorCode: 'unavailable',
  });
  execution.cancel();
  expect(await execution.result).toMatchObject({ status: 'cancelled', errorCode: 'cancelled' });
  const next = executor.start(request, { canAsk: true, approval });
  expect(await next.nextQuestion()).toMatchObject({ id: 'q1' });
  next.cancel();
  await next.result;
});
