import type { Caller } from '@code-executor/contracts';
import { expect, test } from '@jest/globals';

import { executorOf, untilCancelled } from './executor-of.test.support.js';

const ada: Caller = { id: 'ada', kind: 'http' };
const bob: Caller = { id: 'bob', kind: 'http' };

test('a caller with maxExecutions has no more at once: a further one is refused and not queued', async () => {
  const { executor } = executorOf(({ signal }) => untilCancelled(signal), { queue: { maxConcurrent: 1 } });
  const limited: Caller = { ...ada, maxExecutions: 2 };
  const [first] = [limited, limited].map((caller) => executor.start({ code: 'x' }, { caller }));
  const refused = await executor.execute({ code: 'x' }, { caller: limited });
  expect(refused).toMatchObject({ status: 'failed', errorCode: 'resource_exhausted', retryAfterMs: 5000 });
  expect(refused.error).toContain('2 of your executions run or wait already');
  const others = executor.start({ code: 'x' }, { caller: bob });
  first?.cancel();
  await first?.result;
  const next = executor.start({ code: 'x' }, { caller: limited });
  expect([others.state, next.state]).toEqual(['queued', 'queued']);
  await executor.close();
});

test('cancelAll ends what a caller has running or waiting, and nothing of others', async () => {
  const { executor } = executorOf(({ signal }) => untilCancelled(signal), { queue: { maxConcurrent: 2 } });
  const [running, others, waiting] = [ada, bob, ada].map((caller) =>
    executor.start({ code: 'x' }, { caller }),
  );
  executor.cancelAll(ada, 'The token was revoked.');
  for (const execution of [running, waiting]) {
    expect(await execution?.result).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining('The reason: The token was revoked.') as unknown,
    });
  }
  expect(others?.state).toBe('running');
  await executor.close();
});
